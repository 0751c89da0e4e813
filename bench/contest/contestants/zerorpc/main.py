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
from driver.pace import Pace, keep_calling


class Echo:
    def say(self, data: bytes) -> bytes:
        return data


def serve() -> None:
    server = zerorpc.Server(Echo(), heartbeat=None, pool_size=5000)
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
    clients = [zerorpc.Client(heartbeat=None) for _ in range(options.connections)]
    for client in clients:
        client.connect(options.target)
        pace.check(client.say(payload), payload)
    if options.outstanding == 1:
        keep_calling(pace, lambda: pace.check(clients[0].say(payload), payload))
    else:
        pace.begin()

        def caller(client: zerorpc.Client) -> None:
            going = True
            while going:
                sent = pace.start()
                pace.check(client.say(payload), payload)
                going = pace.finish(sent)

        callers = (clients[index % len(clients)] for index in range(options.outstanding))
        gevent.joinall([gevent.spawn(caller, client) for client in callers], raise_error=True)
    pace.print()
    for client in clients:
        client.close()


if __name__ == "__main__":
    chosen = parse()
    serve() if chosen.serves else call(chosen)
