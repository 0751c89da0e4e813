# SPDX-License-Identifier: MIT
"""Workers: processes that share the endpoints of a server. Their parent supervises them and does not serve."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence

from .. import aio
from .._process.child import Child, PortReservation, Run, end_children, until_stopped
from .._sync.server import RunningServer
from ..aio._server import in_a_child
from ._target import Target

_log = logging.getLogger("trunkline.serve")

#: Seconds between checks of the workers.
_INTERVAL = 0.2
#: Seconds from the death of a worker to the start of its replacement.
_PAUSE = 1.0


class Workers:
    """The worker processes. Their parent has no threads, so it can fork a replacement at any time."""

    def __init__(
        self, target: Target, endpoints: Sequence[str], count: int, is_over: Callable[[], bool] = bool
    ) -> None:
        """Starts ``count`` workers, unless ``is_over()``. Raises RuntimeError if one does not start, ValueError or
        OSError for endpoints that cannot be shared."""
        self.children: list[Child] = []
        self._leaving: list[Child] = []
        self._count = count
        self._due = 0.0
        with contextlib.ExitStack() as held:
            reserved = [held.enter_context(contextlib.closing(PortReservation(each))) for each in endpoints]
            self.endpoints = [each.endpoint for each in reserved]
            self._run = _run_of(target, self.endpoints)
            held.callback(lambda: end_children(self.children))
            while len(self.children) < count and not is_over():
                self.children.append(Child(self._run, self.children))
            self._held = held.pop_all()

    def serve_until(self, wait: Callable[[float], int | None], is_over: Callable[[], bool]) -> None:
        """Replaces workers that die, until ``wait(seconds)`` does not return None or ``is_over()`` is True."""
        while wait(_INTERVAL) is None and not is_over():
            self._replace_dead()

    def shutdown(self, grace: float) -> None:
        self._leaving = list(self.children)
        for child in self.children:
            child.begin_stop(grace)
        self._held.close()

    def kill(self) -> None:
        for child in (*self.children, *self._leaving):
            child.kill()

    def _replace_dead(self) -> None:
        for child in list(self.children):
            status = child.exit_status()
            if status is not None:
                _log.error("worker process %d has ended with status %d and is replaced", child.pid, status)
                child.begin_stop(0.0)
                self.children.remove(child)
                self._due = time.monotonic() + _PAUSE
        if len(self.children) < self._count and time.monotonic() >= self._due:
            try:
                self.children.append(Child(self._run, self.children))
            except (RuntimeError, OSError) as error:
                _log.error("%s", error)
                self._due = time.monotonic() + _PAUSE


def _run_of(target: Target, endpoints: list[str]) -> Run:
    server = target.server
    if isinstance(server, aio.Server):
        with contextlib.closing(asyncio.new_event_loop()) as loop:
            return in_a_child(server, endpoints, type(loop), target.shut_down)
    return until_stopped(lambda: RunningServer(server, endpoints, reuse_port=True), target.shut_down)
