# SPDX-License-Identifier: MIT
"""A DNS server on loopback whose A records change while it runs."""

from __future__ import annotations

import contextlib
import socket
import struct
import threading
from collections.abc import Iterator

TYPE_A = 1


class NameServer:
    """Answers every name with the same addresses; without any, there is no such name."""

    def __init__(self) -> None:
        self.addresses: list[str] = []
        self.ttl = 0
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve)
        self._thread.start()

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self._socket.getsockname()[1]}"

    def stop(self) -> None:
        # An empty datagram ends the thread.
        self._socket.sendto(b"", self._socket.getsockname())
        self._thread.join()
        self._socket.close()

    def _serve(self) -> None:
        while True:
            question, client = self._socket.recvfrom(4096)
            if not question:
                return
            self._socket.sendto(self._answer(question), client)

    def _answer(self, question: bytes) -> bytes:
        end = question.index(0, 12) + 5
        (kind,) = struct.unpack_from("!H", question, end - 4)
        addresses = self.addresses if kind == TYPE_A else []
        flags = 0x8180 if self.addresses else 0x8183
        answer = question[:2] + struct.pack("!5H", flags, 1, len(addresses), 0, 0) + question[12:end]
        for address in addresses:
            answer += struct.pack("!3HIH", 0xC00C, TYPE_A, 1, self.ttl, 4) + socket.inet_aton(address)
        return answer


@contextlib.contextmanager
def name_server() -> Iterator[NameServer]:
    server = NameServer()
    try:
        yield server
    finally:
        server.stop()
