# SPDX-License-Identifier: MIT
"""Metadata of more than 16 KiB between grpcio and Trunkline, also once frames may be as long: grpcio then puts a header
block into one frame."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import grpc
import pytest
from google.protobuf.wrappers_pb2 import BytesValue

import trunkline

#: No byte of it becomes shorter in HPACK.
LONG = "~" * (60 << 10)
LIMIT = 64 << 10
CODING = (BytesValue.SerializeToString, BytesValue.FromString)
GRPC_LIMITS = [("grpc.max_metadata_size", LIMIT), ("grpc.absolute_max_metadata_size", 2 * LIMIT)]


@contextlib.contextmanager
def native_server() -> Iterator[str]:
    """Its method returns the request, and the metadata `long` as trailing metadata."""
    server = trunkline.Server(max_header_bytes=LIMIT)

    @server.method("example.Text/Echo")
    def echo(request: BytesValue, context: trunkline.Context) -> BytesValue:
        context.add_trailing_metadata("long", context.metadata.get("long", ""))
        return request

    with server.serve("tcp://127.0.0.1:0") as running:
        yield str(running.endpoint).removeprefix("tcp://")


@contextlib.contextmanager
def grpcio_server() -> Iterator[str]:
    """The same by grpcio."""

    def echo(request: BytesValue, context: grpc.ServicerContext) -> BytesValue:
        sent = dict(context.invocation_metadata())
        context.set_trailing_metadata((("long", sent.get("long", "")),))
        return request

    server = grpc.server(ThreadPoolExecutor(4), options=GRPC_LIMITS)
    handlers = {"Echo": grpc.unary_unary_rpc_method_handler(echo, CODING[1], CODING[0])}
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("example.Text", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        server.stop(None).wait()


MESSAGES = pytest.mark.parametrize(
    # Its size decides which frames the receiver allows.
    "message",
    [BytesValue(value=b"short"), BytesValue(value=bytes(1 << 20))],
    ids=["short_frames", "long_frames"],
)


@MESSAGES
def test_grpcio_calls_with_long_metadata(message: BytesValue) -> None:
    with native_server() as address, grpc.insecure_channel(address, GRPC_LIMITS) as channel:
        echo = channel.unary_unary("/example.Text/Echo", *CODING)
        assert echo(message, timeout=20) == message

        response, call = echo.with_call(BytesValue(), timeout=20, metadata=(("long", LONG),))

        assert response == BytesValue()
        assert dict(call.trailing_metadata())["long"] == LONG


@MESSAGES
def test_grpcio_calls_with_too_much_metadata(message: BytesValue) -> None:
    with native_server() as address, grpc.insecure_channel(address, GRPC_LIMITS) as channel:
        echo = channel.unary_unary("/example.Text/Echo", *CODING)
        assert echo(message, timeout=20) == message

        with pytest.raises(grpc.RpcError) as raised:
            echo(BytesValue(), timeout=20, metadata=(("long", LONG + LONG),))

        assert raised.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
        assert echo(message, timeout=20) == message


@MESSAGES
def test_a_channel_calls_grpcio_with_long_metadata(message: BytesValue) -> None:
    with grpcio_server() as address, trunkline.Channel(f"grpc://{address}", max_header_bytes=LIMIT) as channel:
        info = trunkline.ResponseInfo()
        assert channel.call("example.Text/Echo", message, BytesValue, timeout=20.0) == message

        response = channel.call(
            "example.Text/Echo", BytesValue(), BytesValue, metadata={"long": LONG}, response_info=info, timeout=20.0
        )

        assert response == BytesValue()
        assert info.trailing_metadata["long"] == LONG
