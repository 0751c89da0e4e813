# SPDX-License-Identifier: MIT
"""Pyro5: one call at a time on each connection."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor

import Pyro5.api
from driver.options import Options, parse, say_listening, wait_for_end_of_input
from driver.pace import Pace, keep_calling


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
    if options.outstanding == 1:
        with Pyro5.api.Proxy(options.target) as proxy:
            pace.check(proxy.say(payload), payload)
            keep_calling(pace, lambda: pace.check(proxy.say(payload), payload))
    else:
        call_on_threads(options, payload, pace)
    pace.print()


def call_on_threads(options: Options, payload: bytes, pace: Pace) -> None:
    """One for each connection, which is its own."""
    connected = threading.Barrier(options.connections, pace.begin)
    recording = threading.Lock()

    def caller(_: int) -> None:
        with Pyro5.api.Proxy(options.target) as proxy:
            pace.check(proxy.say(payload), payload)
            connected.wait(10)
            going = True
            while going:
                sent = pace.start()
                pace.check(proxy.say(payload), payload)
                with recording:
                    going = pace.finish(sent)

    with ThreadPoolExecutor(options.connections) as threads:
        list(threads.map(caller, range(options.connections)))


if __name__ == "__main__":
    Pyro5.config.SERIALIZER = "msgpack"
    Pyro5.config.THREADPOOL_SIZE = 128  # a connection has its thread
    chosen = parse()
    serve() if chosen.serves else call(chosen)
