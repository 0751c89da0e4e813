# SPDX-License-Identifier: MIT
"""Calls of one response whose server sends none, or several; and what client streams report beside their response."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent import futures
from typing import Any

import grpc
import pytest
from google.protobuf.empty_pb2 import Empty
from google.protobuf.wrappers_pb2 import StringValue

import trunkline
import trunkline.grpc
from trunkline import aio


def counted(requests: Any, context: grpc.ServicerContext) -> Iterator[bytes]:
    """As many empty responses as the metadata asks for. A server of streams may send any number."""
    metadata = dict(context.invocation_metadata())
    context.send_initial_metadata((("before", "b"),))
    context.set_trailing_metadata((("after", "a"),))
    for _ in range(int(metadata.get("count", 0))):
        yield b""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = grpc.server(futures.ThreadPoolExecutor(4))
    handler = grpc.stream_stream_rpc_method_handler(counted)
    server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("Test", {"Count": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    yield f"127.0.0.1:{port}"
    server.stop(0)


def blocking_call(address: str, request: Any, response: Any, codec: str | None) -> Any:
    with trunkline.Channel(f"grpc://{address}") as channel:
        return channel.call("Test/Count", request, response, codec=codec, timeout=20)


def submitted_call(address: str, request: Any, response: Any, codec: str | None) -> Any:
    with trunkline.Channel(f"grpc://{address}") as channel:
        return channel.submit("Test/Count", request, response, codec=codec, timeout=20).result()


def mapped_call(address: str, request: Any, response: Any, codec: str | None) -> Any:
    with trunkline.Channel(f"grpc://{address}") as channel:
        return next(channel.map("Test/Count", [request], response, codec=codec, timeout=20))


def completed_call(address: str, request: Any, response: Any, codec: str | None) -> Any:
    with trunkline.Channel(f"grpc://{address}") as channel:
        return next(channel.as_completed("Test/Count", [request], response, codec=codec, timeout=20))[1]


def asyncio_call(address: str, request: Any, response: Any, codec: str | None) -> Any:
    async def call() -> Any:
        async with aio.Channel(f"grpc://{address}") as channel:
            return await channel.call("Test/Count", request, response, codec=codec, timeout=20)

    return asyncio.run(call())


CALLS = pytest.mark.parametrize("call", [blocking_call, submitted_call, mapped_call, completed_call, asyncio_call])
Call = Callable[[str, Any, Any, Any], Any]


@CALLS
@pytest.mark.parametrize(
    "request_message, response",
    [(StringValue(), StringValue), (b"", bytes), ({}, int)],
    ids=["protobuf", "bytes", "int"],
)
def test_a_missing_response_is_unimplemented(address: str, call: Call, request_message: Any, response: Any) -> None:
    codec = None if isinstance(request_message, StringValue) else "bytes" if response is bytes else "msgpack"

    with pytest.raises(trunkline.Unimplemented, match="sent no message") as caught:
        call(address, request_message, response, codec)

    assert caught.value.leading_metadata["before"] == "b"
    assert caught.value.trailing_metadata["after"] == "a"
    assert caught.value.peer.endswith(address)


@CALLS
def test_a_response_that_may_be_missing(address: str, call: Call) -> None:
    assert call(address, Empty(), type(None), None) is None
    assert call(address, {}, None, "msgpack") is None


def test_the_grpcio_interface_reports_a_missing_response(address: str) -> None:
    with trunkline.grpc.insecure_channel(address) as channel:
        count = channel.unary_unary("/Test/Count", StringValue.SerializeToString, StringValue.FromString)

        with pytest.raises(trunkline.grpc.RpcError) as caught:
            count(StringValue(), timeout=20)

    error: Any = caught.value
    assert error.code() is trunkline.grpc.StatusCode.UNIMPLEMENTED


def blocking_stream(address: str, count: int, **options: Any) -> trunkline.ResponseInfo:
    info = trunkline.ResponseInfo()
    with trunkline.Channel(f"grpc://{address}", **options) as channel:
        channel.client_stream(
            "Test/Count", [Empty()], Empty, metadata={"count": str(count)}, response_info=info, timeout=20
        )
    return info


def asyncio_stream(address: str, count: int, **options: Any) -> trunkline.ResponseInfo:
    info = trunkline.ResponseInfo()

    async def call() -> None:
        async with aio.Channel(f"grpc://{address}", **options) as channel:
            await channel.client_stream(
                "Test/Count", [Empty()], Empty, metadata={"count": str(count)}, response_info=info, timeout=20
            )

    asyncio.run(call())
    return info


STREAMS = pytest.mark.parametrize("stream", [blocking_stream, asyncio_stream])


@STREAMS
def test_a_client_stream_reports_metadata_and_peer(address: str, stream: Callable[..., Any]) -> None:
    info = stream(address, 1)

    assert info.leading_metadata["before"] == "b"
    assert info.trailing_metadata["after"] == "a"
    assert info.peer.endswith(address)


@STREAMS
@pytest.mark.parametrize("count, problem", [(0, "sent no response"), (2, "sent several responses")])
def test_a_client_stream_with_another_number_of_responses(
    address: str, stream: Callable[..., Any], count: int, problem: str
) -> None:
    seen: list[Any] = []

    def record(call: Any) -> Iterator[None]:
        try:
            yield
        except trunkline.RpcError as error:
            seen.append((error.code, call.response_info.trailing_metadata["after"]))
            raise

    with pytest.raises(trunkline.Unimplemented, match=problem) as caught:
        stream(address, count, interceptors=[record])

    assert caught.value.trailing_metadata["after"] == "a"
    assert seen == [(trunkline.StatusCode.UNIMPLEMENTED, "a")]


def test_response_info_of_another_class_is_refused(address: str) -> None:
    wrong: Any = {}
    with trunkline.Channel(f"grpc://{address}") as channel, pytest.raises(TypeError, match="response_info"):
        channel.client_stream("Test/Count", [Empty()], Empty, response_info=wrong)
