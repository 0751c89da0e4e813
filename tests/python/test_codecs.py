# SPDX-License-Identifier: MIT
"""Codecs and compressors of the application."""

from __future__ import annotations

import asyncio
import dataclasses
import logging
import zlib
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio


@dataclasses.dataclass
class Point:
    x: int
    y: int


class Lines(trunkline.Codec):
    """Encodes points as two lines."""

    name = "lines"

    def supports(self, kind: Any) -> bool:
        return kind is Point

    def encode(self, message: Any) -> bytes:
        return f"{message.x}\n{message.y}\n".encode()

    def decode(self, data: bytes, kind: Any) -> Any:
        x, y = data.split()
        return Point(int(x), int(y))


def mirrors() -> trunkline.Server:
    server = trunkline.Server(threads=2, codecs=[Lines()])

    @server.method
    def mirror(point: Point, context: trunkline.Context) -> Point:
        context.add_trailing_metadata("codec", context.codec)
        return Point(-point.x, -point.y)

    @server.method
    def walk(points: Iterator[Point]) -> Iterator[Point]:
        for point in points:
            yield Point(point.y, point.x)

    @server.method
    def nothing(point: Point) -> None:
        assert point == Point(1, 2)

    return server


def test_types_of_the_codec_travel_in_it() -> None:
    with (
        mirrors().serve("tcp://127.0.0.1:0") as running,
        trunkline.Channel(running.endpoint, codecs=[Lines()]) as channel,
    ):
        response_info = trunkline.ResponseInfo()
        assert channel.call("mirror", Point(3, -4), Point, response_info=response_info) == Point(-3, 4)
        assert response_info.trailing_metadata["codec"] == "lines"
        assert channel.call("mirror", Point(3, -4), Point, codec="json", response_info=response_info) == Point(-3, 4)
        assert response_info.trailing_metadata["codec"] == "json"
        mirrored = channel.map("mirror", [Point(i, 1) for i in range(100)], Point)
        assert list(mirrored) == [Point(-i, -1) for i in range(100)]
        assert channel.submit("mirror", Point(1, 1), Point, codec="lines").result(20) == Point(-1, -1)
        with channel.stream("walk", Point, Point) as stream:
            assert list(stream.exchange([Point(1, 2), Point(3, 4)])) == [Point(2, 1), Point(4, 3)]
        assert channel.call("nothing", Point(1, 2), type(None)) is None


def test_asyncio() -> None:
    server = aio.Server(codecs=[Lines()])

    @server.method
    async def mirror(point: Point) -> Point:
        return Point(-point.x, -point.y)

    @server.method
    async def walk(points: AsyncIterator[Point]) -> AsyncIterator[Point]:
        async for point in points:
            yield Point(point.y, point.x)

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running:
            async with aio.Channel(running.endpoint, codecs=[Lines()]) as channel:
                assert await channel.call("mirror", Point(3, -4), Point) == Point(-3, 4)
                stream = channel.stream("walk", Point, Point)
                assert [point async for point in stream.exchange([Point(1, 2)])] == [Point(2, 1)]

    asyncio.run(main())


def test_what_does_not_decode_is_invalid_argument() -> None:
    class Broken(Lines):
        def encode(self, message: Any) -> bytes:
            return b"one\ntwo\n"

    with mirrors().serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, codecs=[Broken()]) as channel:
            with pytest.raises(trunkline.InvalidArgument, match="the lines request does not decode as Point"):
                channel.call("mirror", Point(1, 2), Point)


def test_a_codec_that_the_server_does_not_have() -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def mirror(point: Point) -> Point:
        return point

    with server.serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, codecs=[Lines()]) as channel:
            with pytest.raises(trunkline.Unimplemented, match="lines"):
                channel.call("mirror", Point(1, 2), Point)
            assert channel.call("mirror", Point(1, 2), Point, codec="msgpack") == Point(1, 2)


def test_wrong_codecs() -> None:
    class Shouting(Lines):
        name = "LINES"

    with pytest.raises(ValueError, match="LINES"):
        trunkline.Channel("tcp://127.0.0.1:1", codecs=[Shouting()])
    with pytest.raises(ValueError, match="LINES"):
        trunkline.Server(codecs=[Shouting()])
    with trunkline.Channel("tcp://127.0.0.1:1", codecs=[Lines()]) as channel:
        with pytest.raises(TypeError, match="codec 'lines' does not support int"):
            channel.call("mirror", 1, codec="lines")
        with pytest.raises(ValueError, match="not one of protobuf, json, msgpack, bytes, lines"):
            channel.call("mirror", 1, codec="xml")


class Zip(trunkline.Compressor):
    """Compresses with zlib and counts its calls."""

    name = "zip"

    def __init__(self) -> None:
        self.compressed = self.decompressed = 0

    def compress(self, data: bytes) -> bytes:
        self.compressed += 1
        return zlib.compress(data)

    def decompress(self, data: bytes, size: int) -> bytes:
        self.decompressed += 1
        decompressor = zlib.decompressobj()
        return decompressor.decompress(data, size)


def echoes(compressor: trunkline.Compressor) -> trunkline.Server:
    server = trunkline.Server(threads=2, compressors=[compressor])

    @server.method
    def echo(request: bytes) -> bytes:
        return request

    @server.method
    def double(requests: Iterator[bytes], context: trunkline.Context) -> Iterator[bytes]:
        assert context.set_compressor("zip")
        for request in requests:
            yield 2 * request

    return server


def test_messages_are_compressed_both_ways() -> None:
    client, server = Zip(), Zip()
    text = b"a" * 100_000
    with echoes(server).serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, compressors=[client], compressor="zip") as channel:
            channel.wait_for_ready(20)
            assert channel.call("echo", text) == text
            assert (client.compressed, server.decompressed) == (1, 1)
            assert (server.compressed, client.decompressed) == (1, 1)
            assert channel.call("echo", b"short") == b"short"
            assert client.compressed == 1
            with channel.stream("double", bytes, bytes) as stream:
                assert list(stream.exchange([text])) == [2 * text]
            assert (client.compressed, client.decompressed) == (2, 2)
            assert list(channel.map("echo", [text] * 20)) == [text] * 20


def test_asyncio_compresses() -> None:
    client = Zip()
    text = b"a" * 100_000

    async def main(endpoint: str) -> None:
        async with aio.Channel(endpoint, compressors=[client], compressor="zip") as channel:
            await channel.wait_for_ready(20)
            assert await channel.call("echo", text) == text

    with echoes(Zip()).serve("tcp://127.0.0.1:0") as running:
        asyncio.run(main(running.endpoint))
    assert (client.compressed, client.decompressed) == (1, 1)


@pytest.mark.parametrize(
    ("error", "text", "is_logged"),
    [
        (ValueError("corrupt"), "zip: its bytes are corrupt", False),
        (KeyError("x"), "zip: the compressor raised an exception", True),
        (None, "zip: it makes 9 bytes instead of 100000", False),
    ],
)
def test_what_does_not_decompress(
    error: Exception | None, text: str, is_logged: bool, caplog: pytest.LogCaptureFixture
) -> None:
    class Broken(Zip):
        def decompress(self, data: bytes, size: int) -> bytes:
            if error is not None:
                raise error
            return b"too short"

    with echoes(Broken()).serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, compressors=[Zip()], compressor="zip") as channel:
            channel.wait_for_ready(20)
            with caplog.at_level(logging.ERROR, "trunkline"), pytest.raises(trunkline.Internal, match=text):
                channel.call("echo", b"a" * 100_000)
    assert ("decompress: zip raised KeyError" in caplog.text) == is_logged


def test_what_does_not_compress(caplog: pytest.LogCaptureFixture) -> None:
    class Broken(Zip):
        def compress(self, data: bytes) -> bytes:
            raise ValueError("no")

    with echoes(Zip()).serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, compressors=[Broken()], compressor="zip") as channel:
            channel.wait_for_ready(20)
            with caplog.at_level(logging.ERROR, "trunkline"):
                assert channel.call("echo", b"a" * 100_000) == b"a" * 100_000
    assert "compress: zip raised ValueError" in caplog.text


def test_wrong_compressors() -> None:
    with pytest.raises(ValueError, match="zap"):
        trunkline.Channel("tcp://127.0.0.1:1", compressors=[Zip()], compressor="zap")
    nameless = Zip()
    nameless.name = ""
    with pytest.raises(ValueError):
        trunkline.Server(compressors=[nameless])
