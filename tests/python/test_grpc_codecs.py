# SPDX-License-Identifier: MIT
"""Codecs and compressors over gRPC, which names them when a call begins and transmits no sizes."""

from __future__ import annotations

import asyncio
import logging
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio

from .interop.blocking_channel import BlockingChannel, run

TEXT = b"a" * 100_000


def grpc_endpoint(running: trunkline.RunningServer | aio.RunningServer) -> str:
    return running.endpoint.replace("tcp://", "grpc://")


def greeting_server() -> trunkline.Server:
    """A server whose stream has a response, which may have any type, before it has read a request."""
    server = trunkline.Server(threads=2)

    @server.method("Greet")
    def greet(requests: Iterator[Any], context: trunkline.Context) -> Iterator[Any]:
        yield {"codec": context.codec}
        yield [*requests]

    return server


def asyncio_greeting_server() -> aio.Server:
    server = aio.Server()

    @server.method("Greet")
    async def greet(requests: AsyncIterator[Any], context: trunkline.Context) -> AsyncIterator[Any]:
        yield {"codec": context.codec}
        yield [request async for request in requests]

    return server


async def be_greeted(channel: Any, codec: str) -> None:
    async with channel.stream("Greet", codec=codec) as stream:
        assert await stream.read() == {"codec": codec}
        await stream.write(1)
        await stream.close_writes()
        assert await stream.read() == [1]


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_responses_before_a_request_have_the_codec_of_the_call(codec: str) -> None:
    with greeting_server().serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(grpc_endpoint(running), default_timeout=20.0) as channel:
            run(be_greeted(BlockingChannel(channel), codec))


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_asyncio_responses_before_a_request_have_the_codec_of_the_call(codec: str) -> None:
    async def main() -> None:
        async with asyncio_greeting_server().serve("tcp://127.0.0.1:0") as running:
            async with aio.Channel(grpc_endpoint(running), default_timeout=20.0) as channel:
                await be_greeted(channel, codec)

    asyncio.run(main())


class Zip(trunkline.Compressor):
    """Compresses with zlib, whose data ends by itself, and counts its calls."""

    name = "zip"

    def __init__(self) -> None:
        self.compressed = self.decompressed = 0

    def compress(self, data: bytes) -> bytes:
        self.compressed += 1
        return zlib.compress(data)

    def decompress(self, data: bytes, size: int) -> bytes:
        raise AssertionError("gRPC transmits no size")

    def decompress_unsized(self, data: bytes, limit: int) -> bytes:
        self.decompressed += 1
        return zlib.decompressobj().decompress(data, limit + 1)


class SizedZip(trunkline.Compressor):
    name = "zip"

    def compress(self, data: bytes) -> bytes:
        raise AssertionError("it has no form for gRPC")

    def decompress(self, data: bytes, size: int) -> bytes:
        raise AssertionError("it has no form for gRPC")


def echoes(compressor: trunkline.Compressor, **options: Any) -> trunkline.Server:
    server = trunkline.Server(threads=2, compressors=[compressor], **options)

    @server.method("Echo")
    def echo(request: bytes) -> bytes:
        return request

    return server


def call_echo(server: trunkline.Server, compressor: trunkline.Compressor) -> bytes:
    with server.serve("tcp://127.0.0.1:0") as running:
        endpoint = grpc_endpoint(running)
        with trunkline.Channel(endpoint, compressors=[compressor], compressor="zip", default_timeout=20.0) as channel:
            return bytes(channel.call("Echo", TEXT))


def test_compressors_with_an_unsized_form_are_used_both_ways() -> None:
    client, server = Zip(), Zip()

    assert call_echo(echoes(server), client) == TEXT

    assert (client.compressed, server.decompressed) == (1, 1)
    assert (server.compressed, client.decompressed) == (1, 1)


def test_compressors_without_an_unsized_form_are_not_offered() -> None:
    assert call_echo(echoes(Zip()), SizedZip()) == TEXT
    with pytest.raises(trunkline.Unimplemented, match="grpc-encoding zip is not known"):
        call_echo(echoes(SizedZip()), Zip())


def test_what_decompresses_to_more_than_the_limit_ends_its_call() -> None:
    with pytest.raises(trunkline.ResourceExhausted, match="max_message_bytes|it makes 50001 bytes"):
        call_echo(echoes(Zip(), max_message_bytes=50_000), Zip())


@pytest.mark.parametrize(
    ("error", "text", "is_logged"),
    [
        (ValueError("corrupt"), "zip: its bytes are corrupt", False),
        (KeyError("x"), "zip: the compressor raised an exception", True),
    ],
)
def test_what_does_not_decompress(
    error: Exception, text: str, is_logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Zip):
        def decompress_unsized(self, data: bytes, limit: int) -> bytes:
            raise error

    with caplog.at_level(logging.ERROR, "trunkline"), pytest.raises(trunkline.Internal, match=text):
        call_echo(echoes(Broken()), Zip())
    assert ("decompress_unsized: zip raised KeyError" in caplog.text) == is_logged


def test_an_own_form_for_compressed_data_without_a_size() -> None:
    class Framed(Zip):
        def compress(self, data: bytes) -> bytes:
            raise AssertionError("gRPC has the other form")

        def compress_unsized(self, data: bytes) -> bytes:
            self.compressed += 1
            return b"framed" + zlib.compress(data)

        def decompress_unsized(self, data: bytes, limit: int) -> bytes:
            assert data.startswith(b"framed")
            return super().decompress_unsized(data[6:], limit)

    client = Framed()

    assert call_echo(echoes(Framed()), client) == TEXT
    assert (client.compressed, client.decompressed) == (1, 1)
