# SPDX-License-Identifier: MIT
"""Calls that certainly have not run are sent again on another connection, however they were begun."""

from __future__ import annotations

import asyncio
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

import pytest
import trunkline
import trunkline.aio

ALL = 5000
SERVED = 1000
HEADER = struct.Struct("<IBBBBII")
CALL, MESSAGE, FINISH, GOAWAY, HELLO, MESSAGE_FLAG = 2, 3, 4, 9, 1, 2
PREFACE = b"\xf5TRKL\r\n\x01"


def field(tag: int, value: bytes) -> bytes:
    return bytes([tag, len(value)]) + value


def frame(kind: int, call: int = 0, flags: int = 0, codec: int = 0, body: bytes = b"") -> bytes:
    return HEADER.pack(len(body), kind, flags, codec, 0, call, 0) + body


GREETING = PREFACE + frame(
    HELLO,
    body=field(1, b"\x01") + field(4, struct.pack("<I", 16384)) + field(9, b"bytes"),
)


class Peer:
    """Speaks the protocol to as many connections as come. The first one is told to go away after ``SERVED`` calls."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.endpoint = f"tcp://127.0.0.1:{self.listener.getsockname()[1]}"
        self.connections = 0
        self.closes_until = 0.0
        #: A connection that is closed is closed once this has come.
        self.awaits = b""
        threading.Thread(target=self.accept, daemon=True).start()

    def close(self) -> None:
        self.listener.close()

    def accept(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            if time.monotonic() < self.closes_until:
                come = b""
                while self.awaits not in come and (more := connection.recv(65536)):
                    come += more
                connection.close()
                continue
            self.connections += 1
            limit = SERVED if self.connections == 1 else ALL + 1
            threading.Thread(target=self.serve, args=(connection, limit), daemon=True).start()

    def serve(self, connection: socket.socket, limit: int) -> None:
        with connection, connection.makefile("rb") as stream:
            assert stream.read(len(PREFACE)) == PREFACE
            connection.sendall(GREETING)
            served = 0
            while header := stream.read(HEADER.size):
                length, kind, _, _, _, call, _ = HEADER.unpack(header)
                stream.read(length)
                if kind != CALL or served == limit:
                    continue
                served += 1
                response = frame(FINISH, call, MESSAGE_FLAG, 1, b"ok")
                connection.sendall(response + (frame(GOAWAY, call) if served == limit else b""))


@pytest.fixture
def peer() -> Iterator[Peer]:
    with closing(Peer()) as made:
        yield made


def by_map(endpoint: str) -> list[bytes]:
    with trunkline.Channel(endpoint) as channel:
        return list(channel.map("Echo", [b"x"] * ALL, bytes, window=4000, timeout=30.0))


def by_threads(endpoint: str) -> list[bytes]:
    with trunkline.Channel(endpoint) as channel, ExitStack() as stack:
        outcomes: list[bytes] = []

        def call() -> None:
            outcomes.extend(channel.call("Echo", b"x", bytes, timeout=30.0) for _ in range(ALL // 8))

        threads = [threading.Thread(target=call) for _ in range(8)]
        for thread in threads:
            stack.callback(thread.join)
            thread.start()
        for thread in threads:
            thread.join()
        return outcomes


def by_futures(endpoint: str) -> list[bytes]:
    with trunkline.Channel(endpoint) as channel:
        futures = [channel.submit("Echo", b"x", bytes, timeout=30.0) for _ in range(ALL)]
        return [future.result() for future in futures]


def by_asyncio(endpoint: str) -> list[bytes]:
    async def run() -> list[bytes]:
        async with trunkline.aio.Channel(endpoint) as channel:
            calls = (channel.call("Echo", b"x", bytes, timeout=30.0) for _ in range(ALL))
            return await asyncio.gather(*calls)

    return asyncio.run(run())


@pytest.mark.parametrize("calls", [by_map, by_threads, by_futures, by_asyncio])
def test_no_call_fails_when_a_server_goes_away_amid_them(peer: Peer, calls: Callable[[str], list[bytes]]) -> None:
    assert calls(peer.endpoint) == [b"ok"] * ALL
    assert peer.connections == 2


@pytest.mark.parametrize("idempotent", [False, True])
def test_wait_for_ready_outlasts_a_peer_that_accepts_and_closes(peer: Peer, idempotent: bool) -> None:
    peer.closes_until = time.monotonic() + 2.0

    with trunkline.Channel(peer.endpoint) as channel:
        response = channel.call("Echo", b"x", bytes, timeout=60.0, wait_for_ready=True, idempotent=idempotent)

    assert response == b"ok"


def test_early_calls_may_have_run(peer: Peer) -> None:
    peer.closes_until = time.monotonic() + 600.0
    # The end of the connection must not come before the call is sent, which then certainly would not have run.
    peer.awaits = b"Echo"

    with trunkline.Channel(peer.endpoint, early_calls=True) as channel, pytest.raises(trunkline.Unavailable) as early:
        channel.call("Echo", b"x", bytes, timeout=50.0)
    peer.awaits = b""
    with trunkline.Channel(peer.endpoint) as channel, pytest.raises(trunkline.Unavailable) as late:
        channel.call("Echo", b"x", bytes, timeout=50.0)

    assert early.value.may_have_run
    assert not late.value.may_have_run


def test_a_stream_beyond_goaway_is_opened_elsewhere() -> None:
    """The peer hears of the stream before it tells the client that it serves none."""
    taken: list[tuple[int, bytes]] = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(number: int) -> None:
        connection, _ = listener.accept()
        with connection, connection.makefile("rb") as stream:
            assert stream.read(len(PREFACE)) == PREFACE
            connection.sendall(GREETING)
            messages = 0
            while header := stream.read(HEADER.size):
                length, kind, flags, _, _, call, _ = HEADER.unpack(header)
                body = stream.read(length)
                if kind not in (CALL, MESSAGE):
                    continue
                if flags & MESSAGE_FLAG:
                    messages += 1
                    taken.append((number, body[-3:]))
                if number == 0 and messages == 2:
                    connection.sendall(frame(GOAWAY, 0))  # it has served no call
                elif number == 1 and messages == 3:
                    connection.sendall(frame(FINISH, call, MESSAGE_FLAG, 1, b"ok"))

    def serve_both() -> None:
        for number in range(2):
            serve(number)

    threading.Thread(target=serve_both, daemon=True).start()
    with closing(listener):
        endpoint = f"tcp://127.0.0.1:{listener.getsockname()[1]}"
        with trunkline.Channel(endpoint, max_retained_request_bytes=4096) as channel:
            stream = channel.stream("Upload", bytes, bytes, timeout=30.0)
            stream.write(b"one")
            stream.write(b"two")
            stream.write(b"end")  # perhaps also to the peer that goes away
            assert stream.read() == b"ok"
            stream.finish()

    assert [message for number, message in taken if number == 1] == [b"one", b"two", b"end"]
