# SPDX-License-Identifier: MIT
"""Child: a forked process of a server; PortReservation: a TCP port that several processes share."""

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

from .._errors import DeadlineExceeded

_log = logging.getLogger("trunkline.server")


def shares_ports(endpoint: str) -> bool:
    """Returns whether several processes can listen on the endpoint at once."""
    return endpoint.startswith(("tcp://", "tls://"))


class PortReservation:
    """Reserves a TCP port for sharing, without taking connections, until the processes listen on it."""

    def __init__(self, endpoint: str) -> None:
        scheme, separator, rest = endpoint.partition("://")
        host, colon, port = rest.rpartition(":")
        if not separator or scheme not in ("tcp", "tls") or not colon or not port.isdigit():
            raise ValueError(f"serve: workers can share tcp:// and tls:// endpoints, not {endpoint}")
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
        #: The endpoint with the port that the system chose.
        self.endpoint = f"{scheme}://{host}:{self._socket.getsockname()[1]}"

    def close(self) -> None:
        self._socket.close()


#: Seconds that the calls of a child have to finish when its parent has died or leaves a ``with`` block.
DEFAULT_GRACE = 5.0

#: Signals that a terminal or supervisor sends to the whole process group. Children ignore them; the parent tells the
#: children to stop.
_PARENT_SIGNALS = (signal.SIGINT, signal.SIGTERM)

#: The function of a child: ``run(ready, stop)``. It calls ``ready()`` once it serves, and ends when the descriptor
#: ``stop`` becomes readable; ``read_grace(stop)`` returns the seconds that its calls then have.
Run = Callable[[Callable[[], None], int], None]


class ChildNotStarted(RuntimeError):
    """A child has ended before it served. ``report`` says why."""

    def __init__(self, report: str) -> None:
        super().__init__(f"serve: a worker process did not start: {report}")
        self.report = report


class Child:
    """A forked process that serves until its parent tells it to end, or dies.

    The constructor returns once the child serves; ChildNotStarted if it does not. ``siblings``: the children forked
    before. ``patience``: seconds that it has to end after the grace of its calls, before it is killed.
    """

    def __init__(self, run: Run, siblings: Sequence[Child], patience: float = 6.0) -> None:
        self._patience = patience
        with contextlib.ExitStack() as unused:  # the pipes, if the system refuses one of them or the fork
            ready_read, ready_write = _pipe(unused)
            stop_read, stop_write = _pipe(unused)
            self._stop: int = stop_write
            self._parent = os.getpid()
            self._deadline = 0.0
            self._status: int | None = None
            _flush_standard_streams()  # otherwise both processes would write what is buffered
            # The signals are blocked until the child has replaced the parent's handlers.
            mask = signal.pthread_sigmask(signal.SIG_BLOCK, _PARENT_SIGNALS)
            try:
                self.pid = os.fork()
                if self.pid == 0:
                    # As long as these are open here, a sibling would not notice that the parent has died.
                    for descriptor in (ready_read, stop_write, *(each._stop for each in siblings)):
                        if descriptor >= 0:
                            os.close(descriptor)
                    _run_in_child(run, ready_write, stop_read, mask)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, mask)
            unused.pop_all()
        os.close(ready_write)
        os.close(stop_read)
        report = os.read(ready_read, 4096)
        os.close(ready_read)
        if report != b"ready":
            self.begin_stop(0.0)
            self.end()
            raise ChildNotStarted(report.decode(errors="replace"))

    def begin_stop(self, grace: float) -> None:
        """Tells the child to end. ``grace``: seconds that its calls have. Further calls have no effect."""
        if self._stop < 0 or self._parent != os.getpid():
            return
        descriptor, self._stop = self._stop, -1
        self._deadline = time.monotonic() + grace + self._patience
        with contextlib.suppress(OSError):  # the child has ended already
            os.write(descriptor, struct.pack("d", grace))
        os.close(descriptor)

    def exit_status(self) -> int | None:
        """Returns the exit status; None while the child runs. A child that a signal has ended has the negative number
        of the signal."""
        if self._status is None and self._parent == os.getpid():
            with contextlib.suppress(ChildProcessError):  # the application has waited for it
                pid, status = os.waitpid(self.pid, os.WNOHANG)
                self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status

    def kill(self) -> None:
        """Kills the child at once."""
        if self._parent == os.getpid() and self.exit_status() is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)

    def end(self) -> None:
        """Waits for the child and kills it if it does not end in time. Call it after ``begin_stop``."""
        if self._parent != os.getpid() or self._status is not None:
            return
        with contextlib.suppress(ChildProcessError):  # the application has waited for it
            while os.waitpid(self.pid, os.WNOHANG)[0] == 0:
                if time.monotonic() < self._deadline:
                    time.sleep(0.01)
                    continue
                _log.warning("worker process %d did not end in time and is killed", self.pid)
                os.kill(self.pid, signal.SIGKILL)
                os.waitpid(self.pid, 0)
                return


def read_grace(stop: int) -> float:
    """Returns the seconds that the calls of a child have, once its descriptor is readable."""
    data = os.read(stop, 8)
    return float(struct.unpack("d", data)[0]) if len(data) == 8 else DEFAULT_GRACE


def _flush_standard_streams() -> None:
    for stream in (sys.stdout, sys.stderr):
        with contextlib.suppress(Exception):  # it may be closed, or None
            stream.flush()


def _pipe(unused: contextlib.ExitStack) -> tuple[int, int]:
    """Returns the ends of a new pipe, which ``unused`` closes."""
    ends = os.pipe()
    for descriptor in ends:
        unused.callback(os.close, descriptor)
    return ends


def _run_in_child(run: Run, ready: int, stop: int, mask: Iterable[int]) -> None:
    code = 1
    is_ready = False

    def report_ready() -> None:
        nonlocal is_ready
        is_ready = True
        os.write(ready, b"ready")
        os.close(ready)

    try:
        signal.set_wakeup_fd(-1)
        for number in _PARENT_SIGNALS:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)
        run(report_ready, stop)
        code = 0
    except BaseException as error:
        if not is_ready:
            report = error.report if isinstance(error, ChildNotStarted) else f"{type(error).__name__}: {error}"
            os.write(ready, report.encode()[:4000])
        _log.exception("worker process")
    finally:
        _flush_standard_streams()
        os._exit(code)


def until_stopped(start: Callable[[], Any], before_end: Callable[[], float] = lambda: 0.0) -> Run:
    """Returns what a child runs for a server of plain functions, which ``start()`` starts. ``before_end``: seconds to
    wait before the shutdown."""

    def run(ready: Callable[[], None], stop: int) -> None:
        running = start()
        ready()
        select.select([stop], [], [])
        grace = read_grace(stop)
        time.sleep(before_end())
        with logging_cut_off_calls(of_worker()):
            if grace > 0:
                running.shutdown(grace)
            else:
                running.stop()

    return run


@contextlib.contextmanager
def logging_cut_off_calls(where: str = "") -> Iterator[None]:
    """Around a shutdown of a process that ends: logs how many calls were cut off, instead of raising DeadlineExceeded.
    ``where`` begins the line."""
    try:
        yield
    except DeadlineExceeded as error:
        _log.warning("%s%s", where, error.message)


def of_worker() -> str:
    """Returns how a line about this process begins."""
    return f"worker process {os.getpid()}: "


@contextlib.contextmanager
def shared_ports(endpoints: Iterable[str], children: list[Child]) -> Iterator[list[str]]:
    """Yields the endpoints with their ports, which stay reserved until the block ends, when all processes listen. An
    exception ends ``children``."""
    with contextlib.ExitStack() as held:
        try:
            yield [held.enter_context(contextlib.closing(PortReservation(endpoint))).endpoint for endpoint in endpoints]
        except BaseException:
            end_children(children)
            raise


def end_children(children: list[Child]) -> None:
    """Ends all children, immediately unless ``begin_stop`` was called before, and waits for them. Empties the list."""
    for child in children:
        child.begin_stop(0.0)
    while children:
        children.pop().end()
