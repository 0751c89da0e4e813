# SPDX-License-Identifier: MIT
"""Channels that speak Connect and gRPC-Web: their URIs, calls of every kind, and servers that do not speak it."""

from __future__ import annotations

import asyncio
import os
import random
import socket
import threading
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import trunkline
from trunkline import aio

from .commanding import Outcome, needs_command, run


def make_server() -> trunkline.Server:
    server = trunkline.Server(threads=4)

    @server.method
    def echo(request: bytes, context: trunkline.Context) -> bytes:
        for name, value in context.metadata:
            if name.startswith("x-"):
                context.add_leading_metadata(name, value)
                context.add_trailing_metadata(name, value)
        return request

    @server.method(no_side_effects=True)
    def look(request: dict[str, Any]) -> dict[str, Any]:
        return request

    @server.method
    def count(request: int) -> Iterator[int]:
        yield from range(request)
        raise trunkline.OutOfRange("café")

    @server.method
    def total(requests: Iterator[int]) -> int:
        return sum(requests)

    @server.method
    def double(requests: Iterator[int]) -> Iterator[int]:
        for request in requests:
            yield 2 * request

    @server.method
    def fail() -> None:
        raise trunkline.Aborted("100 % café")

    @server.method
    def wait(context: trunkline.Context) -> None:
        while not context.is_cancelled():
            time.sleep(0.01)

    return server


@pytest.fixture(scope="module")
def endpoint() -> Iterator[str]:
    with make_server().serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@pytest.fixture(params=["http", "grpc-web"])
def uri(request: pytest.FixtureRequest, endpoint: str) -> str:
    return endpoint.replace("tcp", request.param)


@pytest.fixture(params=["1.1", "2"])
def version(request: pytest.FixtureRequest) -> str:
    """Of HTTP."""
    return str(request.param)


def test_calls_of_every_kind(uri: str, version: str) -> None:
    with trunkline.Channel(uri, http_version=version) as channel:
        for size in (0, 1, 70_000, 3_000_000):
            assert channel.call("echo", bytes(size), bytes, timeout=20.0) == bytes(size)
        numbers = []
        with pytest.raises(trunkline.OutOfRange, match="café"):
            for number in channel.server_stream("count", 1000, int, timeout=20.0):
                numbers.append(number)
        assert numbers == list(range(1000))
        assert channel.client_stream("total", range(1000), int, timeout=20.0) == 499500
        with channel.stream("double", int, int, timeout=20.0) as stream:
            for number in range(100):
                stream.write(number)
                assert stream.read() == 2 * number
        futures = [channel.submit("echo", b"x", bytes) for _ in range(2000)]
        assert [future.result(20) for future in futures] == [b"x"] * 2000


def test_calls_with_asyncio(uri: str, version: str) -> None:
    async def numbers() -> AsyncIterator[int]:
        for number in range(100):
            yield number

    async def calls() -> None:
        async with aio.Channel(uri, http_version=version) as channel:
            assert await channel.call("echo", b"x", bytes, timeout=20.0) == b"x"
            assert await channel.client_stream("total", numbers(), int, timeout=20.0) == 4950

    asyncio.run(calls())


def test_errors_and_deadlines(uri: str, version: str) -> None:
    with trunkline.Channel(uri, http_version=version) as channel:
        with pytest.raises(trunkline.Aborted, match="100 % café"):
            channel.call("fail", None, type(None), timeout=20.0)
        with pytest.raises(trunkline.Unimplemented):
            channel.call("nothing", None, type(None), timeout=20.0)
        with pytest.raises(trunkline.DeadlineExceeded):
            channel.call("wait", None, type(None), timeout=0.2)
        with pytest.raises(trunkline.InvalidArgument, match="reserved"):
            channel.call("echo", b"", bytes, metadata=[("connect-a", "b")], timeout=20.0)


@pytest.mark.parametrize("compressor", ["identity", "gzip", "br", "deflate", "zstd", "snappy"])
def test_metadata_and_compression(uri: str, version: str, compressor: str) -> None:
    info = trunkline.ResponseInfo()
    metadata = [("x-a", b"1"), ("x-a", b"2"), ("x-b-bin", b"\0\xff")]

    with trunkline.Channel(uri, http_version=version) as channel:
        response = channel.call(
            "echo",
            bytes(100_000),
            bytes,
            metadata=metadata,
            compressor=compressor,
            response_info=info,
            timeout=20.0,
        )

    assert response == bytes(100_000)
    for found in (info.leading_metadata, info.trailing_metadata):
        assert sorted(entry for entry in found if entry[0].startswith("x-")) == metadata


def test_grpc_web_as_text(endpoint: str, version: str) -> None:
    """Which carries one message in a request."""
    uri = endpoint.replace("tcp", "grpc-web")
    with trunkline.Channel(uri, http_version=version, grpc_web_text=True) as channel:
        for size in (0, 1, 2, 3, 70_000, 3_000_000):
            content = random.Random(size).randbytes(size)
            for compressor in ("identity", "gzip"):
                assert channel.call("echo", content, bytes, timeout=20.0, compressor=compressor) == content
        numbers = []
        with pytest.raises(trunkline.OutOfRange, match="café"):
            for number in channel.server_stream("count", 5000, int, timeout=20.0):
                numbers.append(number)
        assert numbers == list(range(5000))
        assert channel.client_stream("total", [5], int, timeout=20.0) == 5
        with pytest.raises(trunkline.Unimplemented, match="one message in a request"):
            channel.client_stream("total", range(2), int, timeout=20.0)
        futures = [channel.submit("echo", b"x" * (index % 7), bytes) for index in range(2000)]
        assert [len(future.result(20)) for future in futures] == [index % 7 for index in range(2000)]


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_idempotent_calls_by_get(endpoint: str, codec: str) -> None:
    with trunkline.Channel(endpoint.replace("tcp", "http"), http_get=True) as channel:
        assert channel.call("look", {"a": [1]}, dict, codec=codec, idempotent=True, timeout=20.0) == {"a": [1]}
        # The server refuses a GET of a method that may change something.
        with pytest.raises(trunkline.FailedPrecondition):
            channel.call("echo", b"x", bytes, idempotent=True, timeout=20.0)
        assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"


@pytest.mark.parametrize("protocol", ["http", "grpc-web"])
def test_other_transports_and_lists(protocol: str, tmp_path: Path) -> None:
    name = f"@connect-of-python-{os.getpid()}"
    with make_server().serve(f"unix://{tmp_path}/a", f"unix:{name}") as running:
        assert len(running.endpoints) == 2
        for uri in (
            f"{protocol}+unix://{tmp_path}/a",
            f"{protocol}+unix:{name}",
            f"{protocol}+unix://{tmp_path}/a,{protocol}+unix:{name}",
        ):
            with trunkline.Channel(uri) as channel:
                assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"


def test_order_cannot_be_kept(uri: str) -> None:
    with pytest.raises(ValueError, match="ordered cannot be kept over"):
        trunkline.Channel(uri, ordered=True)


@needs_command
def test_the_command_calls(uri: str) -> None:
    looked = run("call", uri, "look", "--codec", "json", "--json", '{"a": 1}')
    counted = run("call", uri, "count", "--codec", "json", "--json", "2")

    assert (looked.status, looked.lines) == (0, ['{"a":1}']), looked.messages
    assert counted.lines == ["0", "1"]
    assert "café" in counted.messages
    # As a browser shows the root of a server.
    assert run("call", uri + "/", "look", "--codec", "json", "--json", "{}").status == (
        0 if uri.startswith("http:") else 2
    )


class Answering:
    """A server of HTTP/2 that gives the streams of its only connection these answers, one after the other: a status, a
    media type and a content."""

    def __init__(self, *answers: tuple[int, str, bytes]) -> None:
        self.answers = list(answers)
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.thread = threading.Thread(target=self._serve)
        self.thread.start()

    def __enter__(self) -> str:
        return f"http://127.0.0.1:{self.listener.getsockname()[1]}"

    def __exit__(self, *_: object) -> None:
        self.thread.join()
        self.listener.close()

    def _serve(self) -> None:
        data, headers, settings, ping = 0, 1, 4, 6
        with self.listener.accept()[0] as connection, connection.makefile("rb") as stream:
            stream.read(len(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"))
            self._write(connection, settings, 0, 0, b"")
            while head := stream.read(9):
                length, kind, flags = int.from_bytes(head[:3], "big"), head[3], head[4]
                number, payload = int.from_bytes(head[5:], "big"), stream.read(length)
                if kind in (settings, ping) and not flags & 1:
                    self._write(connection, kind, 1, 0, payload if kind == ping else b"")
                if kind in (data, headers) and flags & 1:
                    status, media_type, content = self.answers.pop(0)
                    fields = ((":status", str(status)), ("content-type", media_type))
                    # Literal fields that are not indexed, with names in full (RFC 7541, section 6.2.2).
                    block = b"".join(
                        b"\0" + b"".join(bytes([len(text)]) + text.encode() for text in field) for field in fields
                    )
                    self._write(connection, headers, 4, number, block)
                    self._write(connection, data, 1, number, content)

    @staticmethod
    def _write(connection: socket.socket, kind: int, flags: int, number: int, payload: bytes) -> None:
        head = len(payload).to_bytes(3, "big") + bytes([kind, flags]) + number.to_bytes(4, "big")
        connection.sendall(head + payload)


@needs_command
def test_the_command_calls_unary_methods_without_their_definition() -> None:
    """Servers of other makes refuse a stream of a unary method by its media type."""
    with Answering((415, "text/plain", b""), (200, "application/json", b"4")) as uri:
        assert run("call", uri, "Shop/Add", "--codec", "json", "--json", "3") == Outcome(0, "4\n", "")


@needs_command
def test_the_command_sends_several_requests_as_a_stream_only() -> None:
    with Answering((415, "text/plain", b"")) as uri:
        outcome = run("call", uri, "Shop/Add", "--codec", "json", "--json", "3 4")

        assert outcome.status != 0
        assert "HTTP status 415" in outcome.messages
