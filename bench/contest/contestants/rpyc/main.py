# SPDX-License-Identifier: MIT
"""RPyC: calls, or asynchronous results."""

from __future__ import annotations

import socket
import threading
from collections import deque
from typing import Any

import rpyc
from driver.options import Options, parse, say_listening, wait_for_end_of_input
from driver.pace import Pace, keep_calling
from rpyc.core.channel import Channel
from rpyc.core.stream import SocketStream
from rpyc.utils.server import ThreadedServer


class Service(rpyc.Service):  # type: ignore[misc]
    def on_connect(self, conn: Any) -> None:
        # The server makes its channels itself, without these settings.
        conn._channel.compress = False
        conn._channel.stream.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def exposed_say(self, data: bytes) -> bytes:
        return data


def serve() -> None:
    server = ThreadedServer(Service, hostname="127.0.0.1", port=0)
    threading.Thread(target=server.start, daemon=True).start()
    say_listening(f"127.0.0.1:{server.port}")
    wait_for_end_of_input()


def call(options: Options) -> None:
    payload = options.payload
    pace = Pace(options)
    host, _, port = options.target.rpartition(":")
    connections = []
    for _ in range(options.connections):
        stream = SocketStream.connect(host, int(port), nodelay=True)
        connections.append(rpyc.connect_channel(Channel(stream, compress=False)))
    says = [connection.root.say for connection in connections]
    for say in says:
        pace.check(say(payload), payload)
    if options.outstanding == 1:
        keep_calling(pace, lambda: pace.check(says[0](payload), payload))
    else:
        call_in_a_window(options, [rpyc.async_(say) for say in says], payload, pace)
    pace.print()
    for connection in connections:
        connection.close()


def call_in_a_window(options: Options, says: list[Any], payload: bytes, pace: Pace) -> None:
    pace.begin()
    turns = (says[index % len(says)] for index in range(options.outstanding))
    results = deque((say, pace.start(), say(payload)) for say in turns)
    while results:
        say, sent, result = results.popleft()
        pace.check(result.value, payload)
        if pace.finish(sent):
            results.append((say, pace.start(), say(payload)))


if __name__ == "__main__":
    chosen = parse()
    serve() if chosen.serves else call(chosen)
