# SPDX-License-Identifier: MIT
"""Processes whose exit is under test, and the servers that they call."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import threading
import time
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import trunkline
import trunkline.grpc

#: Gives a script the ``endpoint`` of the native server and the ``target`` of the other one, and ``wait_for_call()``, which
#: waits until a call with the ``token`` has begun. It imports nothing of the package, so that what the script registers
#: next to be run at exit is registered before the package does so.
PRELUDE = """
import asyncio, atexit, gc, logging, os, sys, threading, time
endpoint, target = sys.argv[1:]
token = str(os.getpid()).encode()

def wait_for_call():
    import trunkline
    with trunkline.Channel(endpoint) as channel:
        channel.call("t.T/Await", token, bytes)
"""

#: The calls that a server of a Peer serves at a time: more than a script leaves open.
_CALLS = 100


class Peer:
    """A native server and one of grpcio's interface, with calls that last until their client ends them."""

    def __init__(self) -> None:
        self._begun: defaultdict[bytes, threading.Event] = defaultdict(threading.Event)
        self._native = self._native_server().serve("tcp://127.0.0.1:0")
        self._other = trunkline.grpc.server(ThreadPoolExecutor(_CALLS), handlers=(self._handlers(),))
        port = self._other.add_insecure_port("127.0.0.1:0")
        self._other.start()
        #: The arguments of a script that begins with PRELUDE.
        self.addresses = (self._native.endpoint, f"127.0.0.1:{port}")

    def stop(self) -> None:
        self._native.stop()
        self._other.stop(None)

    def _hold(self, token: bytes, context: Any) -> None:
        """Serves a call that lasts until its client ends it."""
        self._begun[token].set()
        while not (context.is_cancelled() if isinstance(context, trunkline.Context) else not context.is_active()):
            time.sleep(0.01)

    def _native_server(self) -> trunkline.Server:
        server = trunkline.Server(threads=_CALLS)

        @server.method("t.T/Hold")
        def hold(token: bytes, context: trunkline.Context) -> bytes:
            self._hold(token, context)
            return b""

        @server.method("t.T/Give")
        def give(token: bytes, context: trunkline.Context) -> Iterator[bytes]:
            yield b"1"
            self._hold(token, context)

        @server.method("t.T/Take")
        def take(requests: Iterator[bytes], context: trunkline.Context) -> bytes:
            self._hold(next(requests), context)
            return b""

        @server.method("t.T/Both")
        def both(requests: Iterator[bytes], context: trunkline.Context) -> Iterator[bytes]:
            yield b"1"
            self._hold(next(requests), context)

        @server.method("t.T/Await")
        def wait(token: bytes) -> bytes:
            assert self._begun[token].wait(60)
            return b""

        @server.method("t.T/Echo")
        def echo(request: bytes) -> bytes:
            return request

        return server

    def _handlers(self) -> Any:
        def hold(token: bytes, context: Any) -> bytes:
            self._hold(token, context)
            return b""

        def give(token: bytes, context: Any) -> Iterator[bytes]:
            yield b"1"
            self._hold(token, context)

        def take(requests: Iterator[bytes], context: Any) -> bytes:
            return hold(next(requests), context)

        def both(requests: Iterator[bytes], context: Any) -> Iterator[bytes]:
            return give(next(requests), context)

        module = trunkline.grpc
        methods = {
            "Hold": module.unary_unary_rpc_method_handler(hold),
            "Give": module.unary_stream_rpc_method_handler(give),
            "Take": module.stream_unary_rpc_method_handler(take),
            "Both": module.stream_stream_rpc_method_handler(both),
            "Echo": module.unary_unary_rpc_method_handler(lambda request, context: request),
        }
        return module.method_handlers_generic_handler("t.T", methods)


def end_of(script: str, *arguments: str) -> str:
    """Runs a process that ends by itself, with status 0 and without a word on standard error, although its checks are
    on and its warnings are errors. Returns its output."""
    # Asyncio would say which callbacks are slow.
    prepare = "import logging\nlogging.getLogger('asyncio').setLevel(logging.ERROR)\n"
    done = subprocess.run(
        [sys.executable, "-X", "dev", "-X", "faulthandler", "-W", "error", "-c", prepare + textwrap.dedent(script), *arguments],
        capture_output=True,
        text=True,
        timeout=200,
    )
    assert (done.returncode, done.stderr) == (0, ""), f"{done.stdout}\n{done.stderr}"
    return done.stdout
