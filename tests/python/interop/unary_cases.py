# SPDX-License-Identifier: MIT
"""One request, one response: sizes, codecs, compressors, one-way calls."""

from __future__ import annotations

import zlib
from typing import Any

import trunkline
from google.protobuf.wrappers_pb2 import StringValue
from trunkline import Origin

from .cases import PATIENCE, Client, case, raising

SEVERAL_MIB = 5 << 20


@case
async def empty_unary(client: Client) -> None:
    assert await client.channel.call("interop.Test/Nothing") is None
    assert await client.channel.call("interop.Test/Echo", b"") == b""


@case
async def large_unary(client: Client) -> None:
    large = bytes((i * 7 + i // 251) % 256 for i in range(1 << 16)) * (SEVERAL_MIB >> 16)

    assert await client.channel.call("interop.Test/Echo", large) == large
    assert await client.channel.call("interop.Test/Make", str(SEVERAL_MIB).encode()) == b"x" * SEVERAL_MIB


@case
async def too_large_request(client: Client) -> None:
    # Over gRPC a client does not know the server's limit, and a status does not say that the server has refused the
    # call.
    with raising(trunkline.ResourceExhausted, may_have_run=client.is_grpc):
        await client.channel.call("interop.Test/Echo", b"x" * ((8 << 20) + 1))
    await empty_unary(client)


@case
async def too_large_response(client: Client) -> None:
    with raising(trunkline.ResourceExhausted, may_have_run=True):
        await client.channel.call("interop.Test/Make", str((8 << 20) + 1).encode())
    await empty_unary(client)


@case
async def codec_bytes(client: Client) -> None:
    assert await client.channel.call("interop.Test/Echo", bytes(range(256))) == bytes(range(256))


VALUES: dict[str, Any] = {
    "null": None,
    "booleans": [True, False],
    "integers": [0, -1, -(2**63), 2**64 - 1],
    "floats": [0.5, -1e300, 1.0],
    "texts": ["", "grüße, 世界 \U0001f680", '"quoted"\n'],
    "empty": [[], {}],
}


def typed(value: Any) -> Any:
    """Distinguishes 1 from 1.0 and True."""
    if isinstance(value, dict):
        return {name: typed(each) for name, each in value.items()}
    if isinstance(value, list):
        return [typed(each) for each in value]
    return (type(value), value)


@case
async def codec_json(client: Client) -> None:
    assert typed(await client.channel.call("interop.Test/EchoValue", VALUES, codec="json")) == typed(VALUES)


@case
async def codec_msgpack(client: Client) -> None:
    value = {**VALUES, "bytes": b"\x00\xff"}
    assert typed(await client.channel.call("interop.Test/EchoValue", value, codec="msgpack")) == typed(value)


@case
async def codec_protobuf(client: Client) -> None:
    for text in ("grüße", ""):
        echoed = await client.channel.call("interop.Test/EchoText", StringValue(value=text), StringValue)
        assert echoed.value == text


@case
async def codec_protobuf_as_json(client: Client) -> None:
    assert await client.channel.call("interop.Test/EchoText", "grüße", codec="json") == "grüße"


@case
async def request_that_does_not_parse(client: Client) -> None:
    # Whether it may have run is not certain everywhere: in Python the handler's side parses.
    with raising(trunkline.InvalidArgument, may_have_run=None, origin=Origin.PEER):
        await client.channel.call("interop.Test/EchoText", 5, codec="json")


@case
async def compression(client: Client) -> None:
    before = await client.channel.call("interop.Test/Compressions")
    text = b"a" * (1 << 20)

    assert await client.channel.call("interop.Test/Echo", text, compressor="snappy") == text

    if before is not None:
        after = await client.channel.call("interop.Test/Compressions")
        assert after[0] > before[0] and after[1] > before[1]


class OwnCompressor(trunkline.Compressor):
    name = "own"

    def __init__(self) -> None:
        self.used = 0

    def compress(self, data: bytes) -> bytes:
        self.used += 1
        return zlib.compress(data)

    def decompress(self, data: bytes, size: int) -> bytes:
        self.used += 1
        return zlib.decompress(data)

    def decompress_unsized(self, data: bytes, limit: int) -> bytes:
        return self.decompress(data, limit)


@case
async def compressor_unknown_to_server(client: Client) -> None:
    own = OwnCompressor()
    channel = client.open(compressors=[own])
    await channel.wait_for_ready(PATIENCE)
    text = b"a" * (1 << 20)
    if client.is_grpc:
        # Which compressors the server has is known when it has responded.
        with raising(trunkline.Unimplemented, may_have_run=True):
            await channel.call("interop.Test/Echo", text, compressor="own")
        assert own.used == 1
        own.used = 0

    assert await channel.call("interop.Test/Echo", text, compressor="own") == text

    assert own.used == 0
    with raising(trunkline.InvalidArgument, may_have_run=False):
        await channel.call("interop.Test/Echo", text, compressor="unheard-of")
    await channel.close()


@case
async def one_way(client: Client) -> None:
    name = client.fresh_name()
    await client.channel.call_oneway("interop.Test/Tell", {"name": name, "value": 17})
    assert await client.wait_for(name) == 17
    # Its failure is not reported, and later calls are not affected.
    await client.channel.call_oneway("interop.Test/Throw")
    await client.channel.call_oneway("interop.Test/Unknown")
    await empty_unary(client)
