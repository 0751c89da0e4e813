# SPDX-License-Identifier: MIT
"""Pyro5: one call at a time."""

from __future__ import annotations

import threading

import Pyro5.api
from driver.options import Options, parse, say_listening, wait_for_end_of_input
from driver.pace import Pace, check, keep_calling


@Pyro5.api.expose  # type: ignore[untyped-decorator]
class Echo:
    def say(self, data: bytes) -> bytes:
        return data


def serve() -> None:
    daemon = Pyro5.api.Daemon(host="127.0.0.1", port=0)
    target = daemon.register(Echo)
    threading.Thread(target=daemon.requestLoop, daemon=True).start()
    say_listening(target)
    wait_for_end_of_input()


def call(options: Options) -> None:
    payload = options.payload
    pace = Pace(options)
    with Pyro5.api.Proxy(options.target) as proxy:

        def ask() -> None:
            check(proxy.say(payload) == payload)

        ask()
        keep_calling(pace, ask)
    pace.print()


if __name__ == "__main__":
    Pyro5.config.SERIALIZER = "msgpack"
    chosen = parse()
    serve() if chosen.serves else call(chosen)
