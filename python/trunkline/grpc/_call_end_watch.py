# SPDX-License-Identifier: MIT
"""The watch of served calls whose handlers have added callbacks: it notices that a client has cancelled its call while
the handler still runs."""

from __future__ import annotations

import os
import threading
import weakref
from typing import Protocol

#: Seconds between two looks at the calls. It bounds how late a callback runs.
_INTERVAL = 0.01


class WatchedCall(Protocol):
    """A call that can be watched."""

    def is_active(self) -> bool:
        """Whether the call has not ended."""
        ...

    def _run_callbacks(self) -> None: ...


class _Watch:
    """A thread that runs while there are calls to watch."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._calls: weakref.WeakSet[WatchedCall] = weakref.WeakSet()
        self._is_running = False

    def add(self, call: WatchedCall) -> None:
        with self._changed:
            self._calls.add(call)
            if not self._is_running:
                self._is_running = True
                threading.Thread(target=self._run, name="trunkline-call-watch", daemon=True).start()

    def _run(self) -> None:
        while True:
            with self._changed:
                self._changed.wait(_INTERVAL)
                ended = [call for call in self._calls if not call.is_active()]
                for call in ended:
                    self._calls.discard(call)
                if not self._calls and not ended:
                    self._is_running = False
                    return
            for call in ended:
                call._run_callbacks()


_watch = _Watch()


def watch(call: WatchedCall) -> None:
    """Runs the callbacks of the call once it has ended, unless they have run by then. Does not keep the call alive."""
    _watch.add(call)


def _start_anew() -> None:
    """In a forked child, which has neither the thread nor the calls."""
    global _watch
    _watch = _Watch()


os.register_at_fork(after_in_child=_start_anew)
