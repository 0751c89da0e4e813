# SPDX-License-Identifier: MIT
"""The limit: plain sockets that move bytes, or messages of one size."""

from __future__ import annotations

import socket
import struct
import sys
import threading
from collections.abc import Callable

from google.protobuf.wrappers_pb2 import BytesValue

from contestants.load import Load, check


def receive(connection: socket.socket, size: int) -> bytes:
    """Reads ``size`` bytes; fewer at the end of the stream only."""
    data = connection.recv(size)
    while len(data) < size:
        more = connection.recv(size - len(data))
        if not more:
            break
        data += more
    return data


def serve(respond: Callable[[socket.socket], None]) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(listener.getsockname()[1], flush=True)

    def accept() -> None:
        while True:
            connection, _ = listener.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with connection:
                respond(connection)

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()


def connect(target: str) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", int(target)))
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def echo_bytes(connection: socket.socket) -> None:
    while data := connection.recv(65536):
        connection.sendall(data)


def serve_bytes() -> None:
    serve(echo_bytes)


def call_bytes(load: Load) -> int:
    request = load.payload
    count, going = 0, load.going()
    with connect(load.target) as connection:
        while going():
            connection.sendall(request)
            check(receive(connection, load.size) == request)
            count += 1
    return count


def echo_messages(connection: socket.socket) -> None:
    """Echoes messages. The first bytes are the size of the messages, and the number that is sent at once."""
    length, count = struct.unpack("<II", receive(connection, 8))
    while batch := receive(connection, length * count):
        requests = [BytesValue.FromString(batch[at : at + length]) for at in range(0, len(batch), length)]
        connection.sendall(b"".join(BytesValue(value=request.value).SerializeToString() for request in requests))


def serve_messages() -> None:
    serve(echo_messages)


def call_messages(load: Load) -> int:
    request = BytesValue(value=load.payload)
    length = request.ByteSize()
    count, going = 0, load.going()
    with connect(load.target) as connection:
        connection.sendall(struct.pack("<II", length, load.outstanding))
        while going():
            connection.sendall(b"".join(request.SerializeToString() for _ in range(load.outstanding)))
            batch = receive(connection, length * load.outstanding)
            for at in range(0, length * load.outstanding, length):
                check(BytesValue.FromString(batch[at : at + length]) == request)
            count += load.outstanding
    return count
