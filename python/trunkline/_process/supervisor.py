# SPDX-License-Identifier: MIT
"""The supervisor: a child process without threads that forks the worker processes of a server, and replaces those that
die."""

from __future__ import annotations

import logging
import os
import select
import signal
import threading
import time
from collections.abc import Callable

from .child import Child, ChildNotStarted, Run, end_children, read_grace

_log = logging.getLogger("trunkline.server")

#: The seconds that the supervisor has to end after the grace, which are more than its workers have.
SUPERVISOR_PATIENCE = 9.0
#: Seconds between checks of the workers.
_INTERVAL = 0.2
#: Seconds from the death of a worker to the start of its replacement.
_PAUSE = 1.0


def supervising(run: Run, count: int) -> Run:
    """Returns what the supervisor runs: ``count`` children that run ``run``. It serves once all of them serve.

    Because it has no threads, it can fork at any time, whereas the server itself cannot: a lock that another of its
    threads holds would never be released in the child.
    """

    def supervise(ready: Callable[[], None], stop: int) -> None:
        workers: list[Child] = []
        try:
            while len(workers) < count:
                workers.append(Child(run, workers))
            ready()
            due = 0.0
            while not select.select([stop], [], [], _INTERVAL)[0]:
                if _remove_dead(workers):
                    due = time.monotonic() + _PAUSE
                elif len(workers) < count and time.monotonic() >= due:
                    due = time.monotonic() + _PAUSE
                    _replace(run, workers)
            grace = read_grace(stop)
            for worker in workers:
                worker.begin_stop(grace)
        finally:
            end_children(workers)

    return supervise


class SupervisorWatch:
    """A thread of the server that reports if the supervisor ends before it is told to. The workers then end as well,
    since they notice it, and the server goes on alone: it has threads, so it cannot fork another supervisor."""

    def __init__(self, supervisor: Child) -> None:
        self._process = os.getpid()
        self._over = threading.Event()
        self._thread = threading.Thread(
            target=self._watch, args=(supervisor,), name="trunkline-supervisor-watch", daemon=True
        )
        self._thread.start()

    def end(self) -> None:
        """Ends the watch, before the supervisor is told to end. May be called any number of times. No effect in a
        forked child, where the thread is not, and where a lock that it held would never be released."""
        if self._process == os.getpid():
            self._over.set()

    def _watch(self, supervisor: Child) -> None:
        while not self._over.wait(_INTERVAL):
            status = supervisor.exit_status()
            if status is None:
                continue
            if not self._over.is_set():
                _log.error(
                    "supervisor process %d %s; the worker processes end, and process %d serves alone",
                    supervisor.pid,
                    _how_it_ended(status),
                    os.getpid(),
                )
            return


def _how_it_ended(status: int) -> str:
    return f"was ended by {_signal_name(-status)}" if status < 0 else f"has ended with status {status}"


def _remove_dead(workers: list[Child]) -> bool:
    """Removes the workers that have ended, and logs how. Returns True if there were any."""
    dead = [(worker, status) for worker in workers if (status := worker.exit_status()) is not None]
    for worker, status in dead:
        _log.error("worker process %d %s and is replaced", worker.pid, _how_it_ended(status))
        worker.begin_stop(0.0)
        workers.remove(worker)
    return bool(dead)


def _replace(run: Run, workers: list[Child]) -> None:
    """Starts one worker. If that fails, it is tried again later."""
    try:
        workers.append(Child(run, workers))
    except (ChildNotStarted, OSError) as error:
        _log.error("replacing a worker process: %s", error)
    else:
        _log.warning("worker process %d has been started as a replacement", workers[-1].pid)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
