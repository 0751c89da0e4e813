# SPDX-License-Identifier: MIT
"""zerorpc: one greenlet for each call under way."""

from __future__ import annotations

import os
import sys
import threading

import gevent
import zerorpc
import zmq
from driver.options import Options, parse, say_listening
from driver.pace import Pace, check, keep_calling


class Echo:
    def say(self, data: bytes) -> bytes:
        return data


def serve() -> None:
    server = zerorpc.Server(Echo(), heartbeat=None, pool_size=1000)
    server.bind("tcp://127.0.0.1:*")
    say_listening(server._events._socket.getsockopt_string(zmq.LAST_ENDPOINT))

    def end() -> None:
        sys.stdin.read()
        os._exit(0)  # its loop hears nothing of other threads

    threading.Thread(target=end, daemon=True).start()
    server.run()


def call(options: Options) -> None:
    payload = options.payload
    pace = Pace(options)
    client = zerorpc.Client(heartbeat=None)
    client.connect(options.target)

    def ask() -> None:
        check(client.say(payload) == payload)

    ask()
    if options.outstanding == 1:
        keep_calling(pace, ask)
    else:
        pace.begin()

        def caller() -> None:
            going = True
            while going:
                sent = pace.start()
                ask()
                going = pace.finish(sent)

        gevent.joinall([gevent.spawn(caller) for _ in range(options.outstanding)], raise_error=True)
    pace.print()
    client.close()


if __name__ == "__main__":
    chosen = parse()
    serve() if chosen.serves else call(chosen)
