# SPDX-License-Identifier: MIT
"""Channels to several servers that know HTTP/1.1 only: how many connections they make."""

from __future__ import annotations

import asyncio
import contextlib
import http.server
import socket
import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio


def wait_until(holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


class EchoServer(http.server.ThreadingHTTPServer):
    """Answers unary calls of Connect with their message, and counts its connections."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Echo)
        self.connections = 0
        self.clients: set[Any] = set()
        self.open: set[socket.socket] = set()
        self.gate = threading.Event()
        self.gate.set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections += 1
        self.clients.add(client_address)
        self.open.add(request)
        super().process_request(request, client_address)

    def accept_all(self) -> None:
        """Returns once every connection that a client has begun before is accepted: they are accepted in order."""
        with socket.create_connection(self.socket.getsockname()) as last:
            own = last.getsockname()
            wait_until(lambda: own in self.clients)

    def end_connections(self) -> None:
        """One after the other, so that the client can replace each."""
        for connection in list(self.open):
            with contextlib.suppress(OSError):  # it has ended already
                connection.shutdown(socket.SHUT_RDWR)
            time.sleep(0.03)


class Echo(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        assert isinstance(self.server, EchoServer)
        self.server.gate.wait(30)
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *_: Any) -> None:
        pass


@contextlib.contextmanager
def two_servers() -> Iterator[list[EchoServer]]:
    servers = [EchoServer(), EchoServer()]
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield servers
    finally:
        for server in servers:
            server.shutdown()
            server.server_close()


def uri_of(servers: list[EchoServer]) -> str:
    return ",".join(f"http://127.0.0.1:{server.server_port}" for server in servers)


def test_connections_that_calls_no_longer_need_are_not_replaced() -> None:
    made = replaced = 0

    async def run(servers: list[EchoServer]) -> None:
        nonlocal made, replaced
        async with aio.Channel(uri_of(servers), http_version="1.1") as channel:
            calls = [
                asyncio.ensure_future(channel.call("Echo", number, int, codec="json", timeout=20.0))
                for number in range(40)
            ]
            # Both servers together have a connection for each call.
            await asyncio.to_thread(wait_until, lambda: sum(server.connections for server in servers) >= 40)
            for server in servers:
                server.gate.set()
            assert await asyncio.gather(*calls) == list(range(40))
            # Further connections may have been under way while calls waited; none begins once all are answered.
            for server in servers:
                await asyncio.to_thread(server.accept_all)
            made = sum(server.connections for server in servers)
            for server in servers:
                await asyncio.to_thread(server.end_connections)
            await channel.call("Echo", 1, int, codec="json", timeout=20.0)
            replaced = sum(server.connections for server in servers) - made

    with two_servers() as servers:
        for server in servers:
            server.gate.clear()
        asyncio.run(run(servers))

    assert made >= 40
    assert replaced <= 6


def test_a_call_that_waits_gets_the_connection_that_another_call_gives_up() -> None:
    async def run(servers: list[EchoServer]) -> int:
        def connections() -> int:
            return sum(server.connections for server in servers)

        async def reach(count: int) -> None:
            while connections() < count:
                await asyncio.sleep(0.01)

        async with aio.Channel(uri_of(servers), http_version="1.1", max_http1_connections=2) as channel:
            calls = [
                asyncio.ensure_future(channel.call("Echo", number, int, codec="json", timeout=40.0))
                for number in range(4)
            ]
            await asyncio.wait_for(reach(4), 20)
            waiting = asyncio.ensure_future(channel.call("Echo", 4, int, codec="json", timeout=40.0))
            await asyncio.sleep(0.1)
            calls[0].cancel()
            # The others still run.
            await asyncio.wait_for(reach(5), 20)
            for server in servers:
                server.gate.set()
            return await waiting

    with two_servers() as servers:
        for server in servers:
            server.gate.clear()
        assert asyncio.run(run(servers)) == 4


def test_every_frame_may_be_written_at_once() -> None:
    with two_servers() as servers:
        options: dict[str, Any] = {"http_version": "1.1", "write_buffer_bytes": 0}
        with trunkline.Channel(uri_of(servers), **options) as channel:
            for number in range(10):
                assert channel.call("Echo", number, int, codec="json", timeout=50.0) == number


def test_a_server_that_ends_every_connection_is_asked_less_and_less_often() -> None:
    accepted = 0

    def accept(listener: socket.socket) -> None:
        nonlocal accepted
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            accepted += 1
            connection.close()

    with socket.create_server(("127.0.0.1", 0)) as first, socket.create_server(("127.0.0.1", 0)) as second:
        threads = [threading.Thread(target=accept, args=[each], daemon=True) for each in (first, second)]
        for thread in threads:
            thread.start()
        uri = ",".join(f"http://127.0.0.1:{each.getsockname()[1]}" for each in (first, second))

        async def wait() -> None:
            async with aio.Channel(uri, http_version="1.1", backoff_maximum=0.5) as channel:
                with pytest.raises(trunkline.Unavailable):
                    await channel.call("Echo", 1, int, codec="json", timeout=20.0)
                # Without calls.
                await asyncio.to_thread(wait_until, lambda: accepted >= 4)
                await asyncio.sleep(2)

        begin = time.monotonic()
        asyncio.run(wait())
        seconds = time.monotonic() - begin
        for each in (first, second):
            each.shutdown(socket.SHUT_RDWR)
        for thread in threads:
            thread.join(10)

    assert 4 <= accepted <= 20 + 20 * seconds
