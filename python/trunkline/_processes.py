# SPDX-License-Identifier: MIT
"""Several processes that share one TCP port, so that handlers use more than one core."""

from __future__ import annotations

import logging
import os
import select
import signal
import socket
import time
from collections.abc import Callable
from typing import Any

_log = logging.getLogger("trunkline.server")


class PortReservation:
    """Holds a TCP port open for sharing, without taking connections, while the processes begin to listen."""

    def __init__(self, endpoint: str) -> None:
        scheme, separator, rest = endpoint.partition("://")
        host, colon, port = rest.rpartition(":")
        if not separator or scheme not in ("tcp", "tls") or not colon or not port.isdigit():
            raise ValueError(f"serve: workers share tcp:// and tls:// endpoints alone, not {endpoint}")
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), int(port), type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        self._socket = socket.socket(family, kind, protocol)
        try:
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
            self._socket.bind(address)
        except BaseException:
            self._socket.close()
            raise
        self.endpoint = f"{scheme}://{host}:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        self._socket.close()


#: What a child does: (tells that it serves, a descriptor that becomes readable when it is to end).
Run = Callable[[Callable[[], None], int], None]


class Child:
    """A forked process that serves until its parent closes the pipe to it, or dies. ``grace``: seconds that its calls
    have then."""

    def __init__(self, run: Run, grace: float) -> None:
        ready_read, ready_write = os.pipe()
        stop_read, stop_write = os.pipe()
        self._grace = grace
        self.pid = os.fork()
        if self.pid == 0:
            os.close(ready_read)
            os.close(stop_write)
            _run_in_child(run, ready_write, stop_read)
        os.close(ready_write)
        os.close(stop_read)
        self._stop = stop_write
        answer = os.read(ready_read, 4096)
        os.close(ready_read)
        if answer != b"ready":
            self.end()
            raise RuntimeError(f"serve: a worker process did not start: {answer.decode(errors='replace')}")

    def begin_stop(self) -> None:
        if self._stop >= 0:
            os.close(self._stop)
            self._stop = -1

    def end(self) -> None:
        """Stops it; kills it if it does not end in time."""
        self.begin_stop()
        deadline = time.monotonic() + self._grace + 6.0
        while time.monotonic() < deadline:
            pid, _ = os.waitpid(self.pid, os.WNOHANG)
            if pid != 0:
                return
            time.sleep(0.01)
        _log.warning("worker process %d did not end in time and is killed", self.pid)
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)


def _run_in_child(run: Run, ready: int, stop: int) -> None:
    code = 1
    is_ready = False

    def tell() -> None:
        nonlocal is_ready
        is_ready = True
        os.write(ready, b"ready")
        os.close(ready)

    try:
        # The terminal's ctrl-c is for the parent, which then tells its children.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        run(tell, stop)
        code = 0
    except BaseException as error:
        if not is_ready:
            os.write(ready, f"{type(error).__name__}: {error}".encode()[:4000])
        _log.exception("worker process")
    finally:
        os._exit(code)


def until_told(start: Callable[[], Any], grace: float) -> Run:
    """Of a server that ``start`` starts, and whose ``drain`` blocks."""

    def run(ready: Callable[[], None], stop: int) -> None:
        running = start()
        ready()
        select.select([stop], [], [])
        running.drain(grace)

    return run


def end_children(children: list[Child]) -> None:
    """Tells all, then waits for each; the list is empty afterwards."""
    for child in children:
        child.begin_stop()
    while children:
        children.pop().end()
