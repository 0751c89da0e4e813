# SPDX-License-Identifier: MIT
"""A relay between channels and a server that ends connections towards the channels on demand."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable

from .waiting import ESTABLISHED, states_of_connections_to, wait_until


class CuttingRelay:
    """Relays any number of connections. What a channel sends on a connection after its end is lost."""

    def __init__(self, listening: socket.socket, connect: Callable[[], socket.socket]) -> None:
        self._listening = listening
        self._connect = connect
        #: Of each connection the end towards the channel, and the one towards the server.
        self._ends: list[tuple[socket.socket, socket.socket]] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def connections(self) -> int:
        return len(self._ends)

    def cut(self) -> None:
        """Ends all connections towards the channels. When it returns, the system of the channels has the ends, and the
        connections have been idle for longer than channels overlook."""
        for client, server in self._ends:
            with contextlib.suppress(OSError):
                server.shutdown(socket.SHUT_RDWR)
            with contextlib.suppress(OSError):
                client.shutdown(socket.SHUT_WR)
        if self._listening.family == socket.AF_INET:
            port = self._listening.getsockname()[1]
            wait_until(lambda: ESTABLISHED not in states_of_connections_to(port))
        time.sleep(0.001)

    def close(self) -> None:
        self._listening.close()
        for ends in self._ends:
            for end in ends:
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
                end.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listening.accept()
                server = self._connect()
                self._ends.append((client, server))
                for direction in ((client, server), (server, client)):
                    threading.Thread(target=self._copy, args=direction, daemon=True).start()

    @staticmethod
    def _copy(source: socket.socket, sink: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := source.recv(1 << 16):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
