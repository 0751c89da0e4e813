# SPDX-License-Identifier: MIT
"""RPyC: calls, or asynchronous results."""

from __future__ import annotations

import threading
from collections import deque
from typing import Any

import rpyc
from driver.options import Options, parse, say_listening, wait_for_end_of_input
from driver.pace import Pace, check, keep_calling
from rpyc.utils.server import ThreadedServer


class Service(rpyc.Service):  # type: ignore[misc]
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
    connection = rpyc.connect(host, int(port))
    say = connection.root.say

    def ask() -> None:
        check(say(payload) == payload)

    ask()
    if options.outstanding == 1:
        keep_calling(pace, ask)
    else:
        call_in_a_window(options, rpyc.async_(say), payload, pace)
    pace.print()
    connection.close()


def call_in_a_window(options: Options, say: Any, payload: bytes, pace: Pace) -> None:
    pace.begin()
    results = deque((pace.start(), say(payload)) for _ in range(options.outstanding))
    while results:
        sent, result = results.popleft()
        check(result.value == payload)
        if pace.finish(sent):
            results.append((pace.start(), say(payload)))


if __name__ == "__main__":
    chosen = parse()
    serve() if chosen.serves else call(chosen)
