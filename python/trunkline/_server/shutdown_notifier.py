# SPDX-License-Identifier: MIT
"""ShutdownNotifier: notifies the application, and long calls, of the shutdown of their server."""

from __future__ import annotations

import contextlib
import inspect
import logging
import threading
from collections.abc import Callable, Iterable, Iterator

from .._errors import Unavailable
from .._process.batches import do_each

_log = logging.getLogger("trunkline.server")


class ShutdownNotifier:
    """Calls functions once, when the shutdown of its server begins. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._has_begun = False
        #: The callbacks of ``Server.on_shutdown()``.
        self._asked: tuple[Callable[[], object], ...] = ()
        #: What ends the long calls.
        self._ends: list[Callable[[], None]] = []

    @property
    def has_begun(self) -> bool:
        return self._has_begun

    def set_callbacks(self, callbacks: Iterable[Callable[[], object]]) -> None:
        """Sets the callbacks of ``Server.on_shutdown()``, once the server runs: one that never did calls none."""
        with self._lock:
            if not self._has_begun:
                self._asked = tuple(callbacks)

    def begin(self) -> None:
        """Begins the shutdown: runs the callbacks on this thread, those of the application first, and logs what they
        raise. What is no Exception, such as KeyboardInterrupt, is raised once all have run. Later calls have no
        effect, and do not wait for the first one."""
        with self._lock:
            self._has_begun = True
            asked, self._asked = list(self._asked), ()
            ends, self._ends = self._ends, []
        try:
            do_each(asked, _notify, tries=1)
        finally:
            do_each(ends, _end, tries=1)

    @contextlib.contextmanager
    def notifying(self, end: Callable[[], None]) -> Iterator[None]:
        """Within the block, calls ``end`` when the shutdown begins; at once if it has begun."""
        with self._lock:
            has_begun = self._has_begun
            if not has_begun:
                self._ends.append(end)
        if has_begun:
            end()
        try:
            yield
        finally:
            with self._lock, contextlib.suppress(ValueError):
                self._ends.remove(end)


def _notify(callback: Callable[[], object]) -> None:
    try:
        result = callback()
    except Exception:
        return _log.exception("on_shutdown: the callback has raised")
    if inspect.iscoroutine(result):
        result.close()
        _log.error("on_shutdown: the callback has returned a coroutine, which nothing awaits: %r", callback)


def _end(end: Callable[[], None]) -> None:
    try:
        end()
    except Exception:
        _log.exception("ending a stream at the shutdown of its server")


def shutdown_error(method: str) -> Unavailable:
    """Returns the error with which the long calls of ``method`` end."""
    return Unavailable(f"call {method}: the server is shutting down")
