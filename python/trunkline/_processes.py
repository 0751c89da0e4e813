# SPDX-License-Identifier: MIT
"""Several processes that share one TCP port, so that handlers use more than one core."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import signal
import socket
import struct
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from ._errors import DeadlineExceeded

_log = logging.getLogger("trunkline.server")


def shares_ports(endpoint: str) -> bool:
    """Whether several processes can listen there at once."""
    return endpoint.startswith(("tcp://", "tls://"))


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


#: Seconds that calls of a child have to end when its parent has died, or leaves a ``with`` block.
DEFAULT_GRACE = 5.0

#: The terminal's ctrl-c, and what ends a whole group: the parent then tells its children.
_FOR_THE_PARENT = (signal.SIGINT, signal.SIGTERM)

#: What a child does: (tells that it serves, a descriptor for ``grace_told`` that becomes readable when it is to end).
Run = Callable[[Callable[[], None], int], None]


class Child:
    """A forked process that serves until its parent tells it to end, or dies. ``siblings`` are those forked before."""

    def __init__(self, run: Run, siblings: Sequence[Child]) -> None:
        ready_read, ready_write = os.pipe()
        stop_read, stop_write = os.pipe()
        self._stop: int = stop_write
        self._parent = os.getpid()
        self._deadline = 0.0
        self._status: int | None = None
        _flush_standard_streams()  # or what is left in them would be written by both
        # No handler of the parent's runs in the child.
        mask = signal.pthread_sigmask(signal.SIG_BLOCK, _FOR_THE_PARENT)
        try:
            self.pid = os.fork()
            if self.pid == 0:
                # Who holds these keeps siblings from hearing that the parent has died.
                for descriptor in (ready_read, stop_write, *(each._stop for each in siblings)):
                    if descriptor >= 0:
                        os.close(descriptor)
                _run_in_child(run, ready_write, stop_read, mask)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        os.close(ready_write)
        os.close(stop_read)
        answer = os.read(ready_read, 4096)
        os.close(ready_read)
        if answer != b"ready":
            self.begin_stop(0.0)
            self.end()
            raise RuntimeError(f"serve: a worker process did not start: {answer.decode(errors='replace')}")

    def begin_stop(self, grace: float) -> None:
        """``grace``: seconds that its calls have. Only the first one counts."""
        if self._stop < 0 or self._parent != os.getpid():
            return
        descriptor, self._stop = self._stop, -1
        self._deadline = time.monotonic() + grace + 6.0
        with contextlib.suppress(OSError):  # it has ended already
            os.write(descriptor, struct.pack("d", grace))
        os.close(descriptor)

    def exit_status(self) -> int | None:
        """None while it runs; of one that a signal has ended, its number less than 0."""
        if self._status is None and self._parent == os.getpid():
            with contextlib.suppress(ChildProcessError):  # somebody else has waited for it
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status

    def kill(self) -> None:
        """At once."""
        if self._parent == os.getpid() and self.exit_status() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """After ``begin_stop``: waits for it; kills it if it does not end in time."""
        if self._parent != os.getpid() or self._status is not None:
            return
        with contextlib.suppress(ChildProcessError):  # somebody else has waited for it
            while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
                if time.monotonic() < self._deadline:
                    time.sleep(0.01)
                    continue
                _log.warning("worker process %d did not end in time and is killed", self.pid)
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                return


def grace_told(stop: int) -> float:
    """Once the descriptor is readable."""
    told = os.read(stop, 8)
    return float(struct.unpack("d", told)[0]) if len(told) == 8 else DEFAULT_GRACE


def _flush_standard_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # it may be closed, or None
            stream.flush()


def _run_in_child(run: Run, ready: int, stop: int, mask: Iterable[int]) -> None:
    code = 1
    is_ready = False

    def tell() -> None:
        nonlocal is_ready
        is_ready = True
        os.write(ready, b"ready")
        os.close(ready)

    try:
        signal.set_wakeup_fd(-1)
        for number in _FOR_THE_PARENT:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        run(tell, stop)
        code = 0
    except BaseException as error:
        if not is_ready:
            os.write(ready, f"{type(error).__name__}: {error}".encode()[:4000])
        _log.exception("worker process")
    finally:
        _flush_standard_streams()
        os._exit(code)


def until_told(start: Callable[[], Any], before_end: Callable[[], float] = lambda: 0.0) -> Run:
    """Of a server that ``start`` starts, and whose ``drain`` blocks. ``before_end``: gives seconds until it drains."""

    def run(ready: Callable[[], None], stop: int) -> None:
        running = start()
        ready()
        select.select([stop], [], [])
        grace = grace_told(stop)
        time.sleep(before_end())
        with telling_what_is_cut_off():
            if grace > 0:
                running.drain(grace)
            else:
                running.stop()

    return run


@contextlib.contextmanager
def telling_what_is_cut_off() -> Iterator[None]:
    """Around the drain of a child, whose errors nobody catches."""
    try:
        yield
    except DeadlineExceeded as error:
        _log.warning("worker process %d: %s", os.getpid(), error.message)


@contextlib.contextmanager
def shared_ports(endpoints: Iterable[str], children: list[Child]) -> Iterator[list[str]]:
    """Around the start of servers: gives the endpoints with their ports, held until all listen; a failure ends ``children``."""
    with contextlib.ExitStack() as held:
        try:
            yield [held.enter_context(contextlib.closing(PortReservation(endpoint))).endpoint for endpoint in endpoints]
        except BaseException:
            end_children(children)
            raise


def end_children(children: list[Child]) -> None:
    """Stops at once those that have not been told before, then waits for each; the list is empty afterwards."""
    for child in children:
        child.begin_stop(0.0)
    while children:
        children.pop().end()
