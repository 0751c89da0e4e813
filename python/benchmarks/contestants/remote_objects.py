# SPDX-License-Identifier: MIT
"""rpyc, Pyro5 and zerorpc: objects of one process called from another."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from typing import Any

from contestants.load import Load, check


class Echo:
    def say(self, data: bytes) -> bytes:
        return data


def serve_rpyc() -> None:
    import rpyc
    from rpyc.utils.server import ThreadedServer

    class Service(rpyc.Service):  # type: ignore[misc]
        def exposed_say(self, data: bytes) -> bytes:
            return data

    server = ThreadedServer(Service, hostname="127.0.0.1", port=0)
    print(server.port, flush=True)
    threading.Thread(target=server.start, daemon=True).start()
    sys.stdin.read()


def call_rpyc(load: Load) -> int:
    import rpyc

    request = load.payload
    connection = rpyc.connect("127.0.0.1", int(load.target))
    if load.outstanding > 1:
        return _call_rpyc_pipelined(connection, load)
    say = connection.root.say
    count, going = 0, load.going()
    while going():
        check(say(request) == request)
        count += 1
    connection.close()
    return count


def _call_rpyc_pipelined(connection: Any, load: Load) -> int:
    import rpyc

    request = load.payload
    say = rpyc.async_(connection.root.say)
    results = deque(say(request) for _ in range(load.outstanding))
    count, going = 0, load.going()
    while going():
        check(results.popleft().value == request)
        results.append(say(request))
        count += 1
    for result in results:
        check(result.value == request)
        count += 1
    connection.close()
    return count


def serve_pyro() -> None:
    import Pyro5.api

    Pyro5.config.SERIALIZER = "msgpack"
    daemon = Pyro5.api.Daemon(host="127.0.0.1", port=0)
    print(daemon.register(Pyro5.api.expose(Echo)), flush=True)
    threading.Thread(target=daemon.requestLoop, daemon=True).start()
    sys.stdin.read()


def call_pyro(load: Load) -> int:
    import Pyro5.api

    Pyro5.config.SERIALIZER = "msgpack"
    request = load.payload
    with Pyro5.api.Proxy(load.target) as proxy:
        count, going = 0, load.going()
        while going():
            check(proxy.say(request) == request)
            count += 1
    return count


def serve_zerorpc() -> None:
    import zerorpc
    import zmq

    server = zerorpc.Server(Echo(), heartbeat=None)
    server.bind("tcp://127.0.0.1:*")
    print(server._events._socket.getsockopt_string(zmq.LAST_ENDPOINT), flush=True)

    def end() -> None:
        sys.stdin.read()
        os._exit(0)  # its loop cannot be stopped from another thread

    threading.Thread(target=end, daemon=True).start()
    server.run()


def call_zerorpc(load: Load) -> int:
    import zerorpc

    request = load.payload
    client = zerorpc.Client(heartbeat=None)
    client.connect(load.target)
    count, going = 0, load.going()
    while going():
        check(client.say(request) == request)
        count += 1
    client.close()
    return count
