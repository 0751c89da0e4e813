# SPDX-License-Identifier: MIT
"""RawServer: a server of HTTP/2 that sends the frames it is told to, right or wrong."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable
from types import TracebackType

from hpack import Decoder

_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9
ACK, END_STREAM, END_HEADERS = 0x1, 0x1, 0x4


def frame(kind: int, payload: bytes = b"", *, flags: int = 0, stream: int = 0) -> bytes:
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def headers(stream: int, *fields: tuple[str, str], ends: bool = False) -> bytes:
    """Fields of at most 126 bytes, without HPACK's table."""
    def text(value: str) -> bytes:
        return bytes([len(value)]) + value.encode()

    block = b"".join(b"\0" + text(name) + text(value) for name, value in fields)
    return frame(HEADERS, block, flags=END_HEADERS | (END_STREAM if ends else 0), stream=stream)


def leading(stream: int, *more: tuple[str, str]) -> bytes:
    return headers(stream, (":status", "200"), ("content-type", "application/grpc"), *more)


def message(
    stream: int, content: bytes = b"", *, flag: int = 0, length: int | None = None, ends: bool = False
) -> bytes:
    prefix = struct.pack(">BI", flag, len(content) if length is None else length)
    return frame(DATA, prefix + content, flags=END_STREAM if ends else 0, stream=stream)


def trailers(stream: int, status: str = "0", *more: tuple[str, str]) -> bytes:
    return headers(stream, ("grpc-status", status), *more, ends=True)


def response(stream: int, content: bytes = b"") -> bytes:
    return leading(stream) + message(stream, content) + trailers(stream)


class RawServer:
    """Serves its connections on threads of their own, and records the fields of each request, and the names that TLS
    has asked for. ``respond``: returns the bytes that answer the headers of a stream; None closes the connection.
    """

    def __init__(self, respond: Callable[[int], bytes | None] = response, tls: ssl.SSLContext | None = None) -> None:
        self.requests: list[dict[str, str]] = []
        self.server_names: list[str | None] = []
        self._respond = respond
        self._tls = tls
        if tls is not None:
            tls.set_alpn_protocols(["h2"])
            tls.sni_callback = lambda sock, name, context: self.server_names.append(name)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._threads = [threading.Thread(target=self._accept)]
        self._connections: list[socket.socket] = []
        self.target = f"127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> RawServer:
        self._threads[0].start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._threads[0].join()
        for connection in self._connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended
        for thread in self._threads[1:]:
            thread.join()
        self._listener.close()

    def _accept(self) -> None:
        while True:
            try:
                connection = self._listener.accept()[0]
            except OSError:
                return
            self._connections.append(connection)
            self._threads.append(threading.Thread(target=self._serve, args=[connection]))
            self._threads[-1].start()

    def _serve(self, connection: socket.socket) -> None:
        with connection:
            try:
                if self._tls is None:
                    return self._speak(connection)
                with self._tls.wrap_socket(connection, server_side=True) as secured:
                    self._speak(secured)
            except OSError:
                pass  # the client has gone, or does not trust the certificate

    def _speak(self, connection: socket.socket) -> None:
        decoder, input = Decoder(), connection.makefile("rb")
        connection.sendall(frame(SETTINGS))
        if input.read(len(_PREFACE)) != _PREFACE:
            return
        while header := input.read(9):
            length, kind, flags = int.from_bytes(header[:3], "big"), header[3], header[4]
            stream = int.from_bytes(header[5:], "big")
            payload = input.read(length)
            if kind == SETTINGS and not flags & ACK:
                connection.sendall(frame(SETTINGS, flags=ACK))
            elif kind == PING and not flags & ACK:
                connection.sendall(frame(PING, payload, flags=ACK))
            elif kind == HEADERS:
                self.requests.append({str(name): str(value) for name, value in decoder.decode(payload)})
                answer = self._respond(stream)
                if answer is None:
                    return
                connection.sendall(answer)
