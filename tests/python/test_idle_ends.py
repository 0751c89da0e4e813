# SPDX-License-Identifier: MIT
"""Connections that their peer ends while they are idle: no call is sent into them."""

from __future__ import annotations

import asyncio
import shutil
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import trunkline
from trunkline import aio

from .cutting_relay import CuttingRelay
from .test_tls import files
from .waiting import wait_until

__all__ = ["files"]


class Counting:
    """A server whose methods return how many calls have run."""

    def __init__(self, **options: Any) -> None:
        self.count = 0
        self._lock = threading.Lock()
        self.server = trunkline.Server(threads=2, **options)

        @self.server.method
        def count(request: int) -> int:
            return self.add()

        @self.server.method
        def count_at_end(requests: Iterator[int]) -> int:
            return self.add() if list(requests) == [0] else -1

        @self.server.method
        def count_in_stream(request: int) -> Iterator[int]:
            yield self.add()

    def add(self) -> int:
        with self._lock:
            self.count += 1
            return self.count


Call = Callable[[trunkline.Channel], int]
KINDS: dict[str, Call] = {
    "blocking": lambda channel: channel.call("count", 0, int),
    "map": lambda channel: next(iter(channel.map("count", [0], int))),
    "submit": lambda channel: channel.submit("count", 0, int).result(20),
    "server_stream": lambda channel: list(channel.server_stream("count_in_stream", 0, int))[0],
    "client_stream": lambda channel: channel.client_stream("count_at_end", iter([0]), int),
}
AsyncCall = Callable[[aio.Channel], Awaitable[int]]


async def call_by_stream(channel: aio.Channel) -> int:
    return [number async for number in channel.server_stream("count_in_stream", 0, int)][0]


ASYNC_KINDS: dict[str, AsyncCall] = {
    "call": lambda channel: channel.call("count", 0, int),
    "server_stream": call_by_stream,
    "client_stream": lambda channel: channel.client_stream("count_at_end", iter([0]), int),
}


def connect_to(endpoint: str) -> socket.socket:
    scheme, _, address = endpoint.partition("://")
    if scheme == "unix":
        connection = socket.socket(socket.AF_UNIX)
        connection.connect(address)
        return connection
    host, _, port = address.rpartition(":")
    return socket.create_connection((host, int(port)))


@contextmanager
def relayed(
    counting: Counting, endpoint: str = "tcp://127.0.0.1:0", listening: socket.socket | None = None
) -> Iterator[tuple[CuttingRelay, str]]:
    """A relay to the server, and the host and port of the relay unless it is given a socket."""
    listening = listening or socket.create_server(("127.0.0.1", 0))
    address = f"127.0.0.1:{listening.getsockname()[1]}" if listening.family == socket.AF_INET else ""
    with counting.server.serve(endpoint) as running:
        relay = CuttingRelay(listening, lambda: connect_to(running.endpoint))
        try:
            yield relay, address
        finally:
            relay.close()


def check(channel: trunkline.Channel, relay: CuttingRelay, call: Call) -> None:
    before = 0
    for number in range(1, 4):
        assert call(channel) == number
        before = relay.connections
        relay.cut()
    assert call(channel) == 4
    assert relay.connections > before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["tcp", "ws", "grpc", "http"])
def test_the_next_call_goes_to_a_new_connection(scheme: str, kind: str) -> None:
    options: Any = {"http_version": "1.1"} if scheme == "http" else {}
    with relayed(Counting()) as (relay, address), trunkline.Channel(f"{scheme}://{address}", **options) as channel:
        check(channel, relay, KINDS[kind])


@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_the_next_one_way_call_goes_to_a_new_connection(scheme: str) -> None:
    counting = Counting()
    with relayed(counting) as (relay, address), trunkline.Channel(f"{scheme}://{address}") as channel:
        for number in range(1, 6, 2):
            assert channel.call("count", 0, int) == number
            relay.cut()
            channel.call_oneway("count", 0)
            wait_until(lambda expected=number + 1: counting.count == expected)  # type: ignore[misc]


@pytest.mark.parametrize("kind", ["blocking", "server_stream"])
def test_over_unix_sockets(tmp_path: Path, kind: str) -> None:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(tmp_path / "relay"))
    listening.listen()
    with relayed(Counting(), f"unix://{tmp_path}/server", listening) as (relay, _):
        with trunkline.Channel(f"unix://{tmp_path}/relay") as channel:
            check(channel, relay, KINDS[kind])


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
@pytest.mark.parametrize("kind", ["blocking", "server_stream"])
@pytest.mark.parametrize("scheme", ["tls", "grpcs"])
def test_over_tls(files: dict[str, str], scheme: str, kind: str) -> None:
    counting = Counting(certificate_file=files["server.pem"], private_key_file=files["server.key"])
    with relayed(counting, "tls://127.0.0.1:0") as (relay, address):
        with trunkline.Channel(f"{scheme}://{address}", ca_file=files["ca.pem"]) as channel:
            check(channel, relay, KINDS[kind])


@pytest.mark.parametrize("kind", ASYNC_KINDS)
@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_with_asyncio(scheme: str, kind: str) -> None:
    call = ASYNC_KINDS[kind]

    async def main(relay: CuttingRelay, address: str) -> None:
        async with aio.Channel(f"{scheme}://{address}") as channel:
            for number in range(1, 4):
                assert await call(channel) == number
                await asyncio.to_thread(relay.cut)
            assert await call(channel) == 4

    with relayed(Counting()) as (relay, address):
        asyncio.run(asyncio.wait_for(main(relay, address), 60))
