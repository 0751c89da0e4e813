# SPDX-License-Identifier: MIT
"""WebSocket: channels and servers with each other, and with the ``websockets`` package as the peer of either."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

from .commanding import needs_command, run
from .websocket_relay import SUBPROTOCOL, a_request_before, websockets_before, websockets_behind

#: The relays leave sockets whose peer has gone to the garbage collector.
pytestmark = pytest.mark.filterwarnings("ignore::ResourceWarning")


@pytest.fixture(autouse=True)
def collect() -> Iterator[None]:
    yield
    gc.collect()


PREFACE = b"\xf5TRKL\r\n\x01"


class Service:
    """A method of each kind."""

    def __init__(self, **options: Any) -> None:
        self.server = server = trunkline.Server(threads=4, **options)
        self.closed = threading.Event()
        self.written = 0

        @server.method
        def echo(request: bytes) -> bytes:
            return request

        @server.method
        def count(request: int) -> Iterator[int]:
            yield from range(request)

        @server.method
        def total(requests: Iterator[int]) -> int:
            return sum(requests)

        @server.method
        def double(requests: Iterator[int]) -> Iterator[int]:
            for request in requests:
                yield 2 * request

        @server.method
        def endless(request: int) -> Iterator[bytes]:
            try:
                while True:
                    yield bytes(request)
                    self.written += 1
            finally:
                self.closed.set()

        @server.method
        def wait(context: trunkline.Context) -> None:
            while not context.is_cancelled():
                time.sleep(0.01)


def port_of(endpoint: str) -> int:
    return int(endpoint.rpartition(":")[2])


@pytest.fixture(params=["trunkline", "websockets server", "websockets client", "behind a request"])
def uri(request: pytest.FixtureRequest) -> Iterator[tuple[str, Service]]:
    """A URI by which a service is called, with one side of WebSocket or both ours."""
    service = Service()
    with service.server.serve("tcp://127.0.0.1:0") as running:
        port = port_of(running.endpoint)
        if request.param == "trunkline":
            yield f"ws://127.0.0.1:{port}", service
        elif request.param == "websockets server":
            with websockets_before(port) as before:
                yield f"ws://127.0.0.1:{before}", service
        elif request.param == "behind a request":
            with a_request_before(port) as relay:
                yield f"ws://127.0.0.1:{relay}", service
        else:
            with websockets_behind(port) as behind:
                yield f"tcp://127.0.0.1:{behind}", service


def test_calls_of_every_kind(uri: tuple[str, Service]) -> None:
    with trunkline.Channel(uri[0]) as channel:
        for size in (0, 1, 125, 126, 65535, 65536, 3_000_000):
            assert channel.call("echo", bytes(size), bytes, timeout=20.0) == bytes(size)
        assert list(channel.server_stream("count", 1000, int, timeout=20.0)) == list(range(1000))
        assert channel.client_stream("total", range(1000), int, timeout=20.0) == 499500
        with channel.stream("double", int, int, timeout=20.0) as stream:
            for number in range(100):
                stream.write(number)
                assert stream.read() == 2 * number
        assert [future.result(20) for future in [channel.submit("echo", b"x", bytes) for _ in range(2000)]] == [
            b"x"
        ] * 2000


def test_deadlines_cancellation_and_flow_control(uri: tuple[str, Service]) -> None:
    service = uri[1]
    with trunkline.Channel(uri[0]) as channel:
        with pytest.raises(trunkline.DeadlineExceeded):
            channel.call("wait", None, type(None), timeout=0.2)
        stream = channel.server_stream("endless", 100_000, bytes, timeout=20.0)
        assert len(next(stream)) == 100_000
        # The credit of a call is 1 MiB, whatever WebSocket has room for.
        time.sleep(0.3)
        assert service.written < 40
        stream.cancel()
        assert service.closed.wait(20)
        assert channel.call("echo", b"after", bytes, timeout=20.0) == b"after"


def test_asyncio(uri: tuple[str, Service]) -> None:
    async def main() -> None:
        async with aio.Channel(uri[0]) as channel:
            numbers: AsyncIterator[int] = channel.server_stream("count", 10, int, timeout=20.0)
            assert [number async for number in numbers] == list(range(10))
            responses = await asyncio.gather(*(channel.call("echo", b"x", bytes, timeout=20.0) for _ in range(500)))
            assert responses == [b"x"] * 500

    asyncio.run(main())


def test_a_server_of_asyncio_is_called_as_well() -> None:
    async def main() -> None:
        server = aio.Server()

        @server.method
        async def echo(request: bytes) -> bytes:
            return request

        async with server.serve("tcp://127.0.0.1:0") as running:
            async with aio.Channel(running.endpoint.replace("tcp", "ws")) as channel:
                assert await channel.call("echo", b"x", bytes, timeout=20.0) == b"x"

    asyncio.run(main())


@pytest.mark.parametrize("payload", ["text", ["te", "xt"]])
def test_text_is_refused(payload: str | list[str]) -> None:
    with Service().server.serve("tcp://127.0.0.1:0") as running:
        with connect(running.endpoint.replace("tcp", "ws"), subprotocols=[SUBPROTOCOL]) as socket:
            with pytest.raises(ConnectionClosed) as caught:
                socket.send(payload)
                while True:
                    socket.recv(timeout=20)

    assert caught.value.rcvd is not None
    assert caught.value.rcvd.code == 1003
    assert "binary" in caught.value.rcvd.reason


def test_the_close_handshake_has_the_code_of_the_client() -> None:
    with Service().server.serve("tcp://127.0.0.1:0") as running:
        uri = running.endpoint.replace("tcp", "ws")
        with connect(uri, subprotocols=[SUBPROTOCOL]) as socket:
            socket.send(PREFACE)
            assert isinstance(greeting := socket.recv(timeout=20), bytes) and greeting.startswith(PREFACE)
            socket.ping().wait(20)
            socket.close(4000, "bye")
        assert socket.close_code == 4000


def status_of(uri: str, **options: Any) -> int:
    """Of the response to the handshake."""
    options = {"subprotocols": [SUBPROTOCOL], **options}
    try:
        with connect(uri, **options):
            return 101
    except InvalidStatus as refused:
        return refused.response.status_code


def test_origins() -> None:
    with Service().server.serve("tcp://127.0.0.1:0") as running:
        uri = running.endpoint.replace("tcp", "ws")
        same = uri.replace("ws", "http")
        assert status_of(uri) == 101
        assert status_of(uri, origin=Origin(same)) == 101
        assert status_of(uri, origin=Origin("http://127.0.0.1:1")) == 403
        assert status_of(uri, origin=Origin("https://evil.example")) == 403
        assert status_of(uri, subprotocols=None) == 400
        assert status_of(uri, subprotocols=[Subprotocol("chat")]) == 400

    with Service(allowed_origins=["https://app.example"]).server.serve("tcp://127.0.0.1:0") as running:
        uri = running.endpoint.replace("tcp", "ws")
        assert status_of(uri) == 101
        assert status_of(uri, origin=Origin("https://app.example")) == 101
        assert status_of(uri, origin=Origin(uri.replace("ws", "http"))) == 403

    with Service(allowed_origins=["*"]).server.serve("tcp://127.0.0.1:0") as running:
        assert status_of(running.endpoint.replace("tcp", "ws"), origin=Origin("https://evil.example")) == 101


@pytest.mark.parametrize("origin", ["example.org", "https://", "https://a/", "https://a:port", ""])
def test_origins_are_checked(origin: str) -> None:
    with pytest.raises(ValueError, match="allowed_origins"):
        trunkline.Server(allowed_origins=[origin])


def test_a_server_that_refuses_is_named() -> None:
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()

    async def main() -> None:
        async with await asyncio.start_server(refuse, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            async with aio.Channel(f"ws://127.0.0.1:{port}") as channel:
                with pytest.raises(trunkline.Unavailable, match="404 Not Found"):
                    await channel.call("echo", b"x", bytes, timeout=50.0)

    asyncio.run(main())


@needs_command
def test_the_command_calls_over_websocket() -> None:
    with Service().server.serve("tcp://127.0.0.1:0") as running:
        uri = running.endpoint.replace("tcp", "ws")
        ended = run("call", uri, "count", "--codec", "json", "--json", "3")

        assert (ended.status, ended.lines) == (0, ["0", "1", "2"]), ended.messages
