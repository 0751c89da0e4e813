# SPDX-License-Identifier: MIT
"""Errors: every code with its message, details and metadata; what the runtime itself refuses."""

from __future__ import annotations

from typing import Any

import trunkline
from google.protobuf.duration_pb2 import Duration
from trunkline import Detail, Origin, ResponseInfo, RpcError, StatusCode

from .cases import Client, case, raising

MESSAGE = "kaputt: größer als 世界 \U0001f4a5"


def expect_failure(error: RpcError, code: int) -> None:
    assert error.message == MESSAGE
    assert error.code == StatusCode(code)
    assert len(error.details()) == 2
    assert error.details(Duration) == [Duration(seconds=code, nanos=7)]
    assert error.details()[1] == Detail("example.com/opaque", b"\x00\xff")


@case
async def status_codes(client: Client) -> None:
    for code in range(1, 17):
        kind = type(RpcError(code=code))
        sent: dict[str, str | bytes] = {"leading-a": "1", "trailing-a": "2", "trailing-b-bin": b"\x00\xff"}
        response_info = ResponseInfo()

        with raising(kind, may_have_run=True, origin=Origin.PEER) as caught:
            request = {"code": code, "message": MESSAGE}
            await client.channel.call("interop.Test/Fail", request, metadata=sent, response_info=response_info)

        expect_failure(caught.error, code)
        assert tuple(response_info.leading_metadata) == (("leading-a", b"1"),)
        assert tuple(response_info.trailing_metadata) == (("trailing-a", b"2"), ("trailing-b-bin", b"\x00\xff"))
        assert caught.error.leading_metadata == response_info.leading_metadata
        assert caught.error.trailing_metadata == response_info.trailing_metadata


@case
async def status_codes_of_stream(client: Client) -> None:
    for code in range(1, 17):
        kind = type(RpcError(code=code))
        sent = {"leading-a": "1", "trailing-a": "2"}
        request = {"code": code, "message": MESSAGE}
        stream = client.channel.server_stream("interop.Test/FailLate", request, metadata=sent)

        assert await stream.read() == 1
        with raising(kind, may_have_run=True, origin=Origin.PEER) as caught:
            await stream.read()
        expect_failure(caught.error, code)
        with raising(kind, may_have_run=True, origin=Origin.PEER) as caught:
            await stream.finish()
        expect_failure(caught.error, code)
        assert tuple(stream.leading_metadata) == (("leading-a", b"1"),)
        assert tuple(stream.trailing_metadata) == (("trailing-a", b"2"),)
        assert caught.error.trailing_metadata == stream.trailing_metadata


@case
async def empty_status_message(client: Client) -> None:
    with raising(trunkline.NotFound, may_have_run=True) as caught:
        await client.channel.call("interop.Test/Fail", {"code": 5, "message": ""})
    assert caught.error.message == ""


@case
async def handler_that_raises(client: Client) -> None:
    with raising(trunkline.Internal, may_have_run=True, origin=Origin.PEER) as caught:
        await client.channel.call("interop.Test/Throw")
    assert "secret" not in str(caught.error)
    assert caught.error.message.startswith("handler of interop.Test/Throw ")


@case
async def unknown_method(client: Client) -> None:
    # A status of gRPC does not say that the call has not run.
    with raising(trunkline.Unimplemented, may_have_run=client.is_grpc, origin=Origin.PEER):
        await client.channel.call("interop.Test/Unknown")
    stream = client.channel.stream("interop.Test/Unknown", bytes, bytes)
    with raising(trunkline.Unimplemented, may_have_run=client.is_grpc, origin=Origin.PEER):
        await stream.read()
    with raising(trunkline.Unimplemented, may_have_run=client.is_grpc, origin=Origin.PEER):
        await stream.finish()


class OwnCodec(trunkline.Codec):
    """Encodes integers as text."""

    name = "own"

    def supports(self, kind: Any) -> bool:
        return kind is int

    def encode(self, message: Any) -> bytes:
        return str(message).encode()

    def decode(self, data: bytes, kind: Any) -> Any:
        return int(data)


@case
async def codec_unknown_to_server(client: Client) -> None:
    channel = client.open(codecs=[OwnCodec()])
    with raising(trunkline.Unimplemented, may_have_run=client.is_grpc, origin=Origin.PEER):
        await channel.call("interop.Test/Echo", 5, int)
    await channel.close()


@case
async def nobody_listens(client: Client) -> None:
    protocol = "grpc+" if client.is_grpc else ""
    channel = client.open_elsewhere(f"{protocol}unix:@trunkline interop: nobody")
    with raising(trunkline.Unavailable, may_have_run=False, origin=Origin.TRANSPORT):
        await channel.call("interop.Test/Nothing")
    await channel.close()
