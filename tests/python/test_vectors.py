# SPDX-License-Identifier: MIT
"""The vectors of docs/wire.md for servers with methods, replayed over a socket with nothing but the page's rules."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import trunkline

VECTORS = json.loads((Path(__file__).parents[1] / "vectors" / "native_v1.json").read_text())
HEADER = struct.Struct("<IBBBBII")  # length, type, flags, codec, compressor, call, number
HELLO, MESSAGE, FINISH, PING, PONG = 0x01, 0x03, 0x04, 0x07, 0x08
HEADERS, HAS_MESSAGE, UNPROCESSED = 0x01, 0x02, 0x20
MARK = b"mark: 8."


def receive(peer: socket.socket, size: int) -> bytes:
    data = b""
    while len(data) < size:
        part = peer.recv(size - len(data))
        assert part, "the server has closed"
        data += part
    return data


def receive_frame(peer: socket.socket) -> tuple[Any, bytes]:
    header = HEADER.unpack(receive(peer, HEADER.size))
    return header, receive(peer, header[0])


def codecs_of(hello: bytes) -> list[str]:
    names, at = [], 0
    while at < len(hello):
        tag, size = hello[at], hello[at + 1]
        assert size < 0x80
        if tag == 0x09:
            names.append(hello[at + 2 : at + 2 + size].decode())
        at += 2 + size
    return names


def make_server() -> trunkline.Server:
    server = trunkline.Server()

    @server.method("v/Echo")
    def echo(request: bytes) -> bytes:
        return request

    @server.method("v/Now")
    def now() -> bytes:
        return b"now"

    @server.method("v/Count")
    def count(requests: Iterator[bytes]) -> bytes:
        return str(sum(1 for _ in requests)).encode()

    @server.method("v/Split")
    def split(request: bytes) -> Iterator[bytes]:
        for byte in request:
            yield bytes([byte])

    @server.method("v/Chat")
    def chat(requests: Iterator[bytes]) -> Iterator[bytes]:
        for request in requests:
            if request == b"!":
                return
            yield request
        yield b"end"

    return server


@pytest.mark.parametrize("vector", VECTORS["served"], ids=lambda vector: vector["name"])
def test_served(vector: dict[str, Any]) -> None:
    fields = b"\x01\x01\x01" + b"\x09\x07unknown" + b"\x09\x05bytes" + (b"\x0c\x01\x01" if "ordered" in vector else b"")
    with make_server().serve("tcp://127.0.0.1:0") as running:
        host, port = running.endpoint.removeprefix("tcp://").split(":")
        with socket.create_connection((host, int(port)), timeout=10) as peer:
            frames = b"".join(bytes.fromhex(frame["bytes"]) for frame in vector["frames"])
            hello = HEADER.pack(len(fields), HELLO, 0, 0, 0, 0, 0) + fields
            peer.sendall(bytes.fromhex(VECTORS["preface"]) + hello + frames)
            if not vector["sends"]:
                peer.sendall(HEADER.pack(8, PING, 0, 0, 0, 0, 0) + MARK)
            assert receive(peer, 8) == bytes.fromhex(VECTORS["preface"])
            header, body = receive_frame(peer)
            assert header[1] == HELLO
            codecs = codecs_of(body)
            assert responses(peer, codecs, vector["sends"]) == vector["sends"]


def responses(peer: socket.socket, codecs: list[str], expected: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """As many responses as are expected, or all before the pong."""
    seen: list[dict[str, Any]] = []
    messages: dict[int, list[str]] = {}
    names: dict[int, str] = {}
    while len(seen) < max(len(expected), 1):
        (_, kind, flags, codec, _, call, number), body = receive_frame(peer)
        if kind == PONG:
            assert body == MARK
            break
        if flags & HAS_MESSAGE:
            block = 4 + struct.unpack_from("<I", body)[0] if flags & HEADERS else 0
            messages.setdefault(call, []).append(body[block:].hex().upper())
            names[call] = codecs[codec - 1]
        if kind != FINISH:
            continue
        is_unprocessed = bool(flags & UNPROCESSED)
        found: dict[str, Any] = {"type": "finish", "call": call, "number": number, "unprocessed": is_unprocessed}
        wanted = expected[len(seen)] if len(seen) < len(expected) else {}
        if call in messages:
            # A vector without a codec leaves it to the server.
            found.update({"codec": names[call]} if "codec" in wanted else {})
            is_single = len(messages[call]) == 1 and "messages" not in wanted
            found.update({"message": messages[call][0]} if is_single else {"messages": messages[call]})
        seen.append(found)
    return seen
