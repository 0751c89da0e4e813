# SPDX-License-Identifier: MIT
"""ShutdownNotifier: notifies long calls of the shutdown of their server."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator

from .._errors import Unavailable


class ShutdownNotifier:
    """Calls functions once, when the shutdown of its server begins. Any thread may use it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._has_begun = False
        self._callbacks: list[Callable[[], None]] = []

    @property
    def has_begun(self) -> bool:
        return self._has_begun

    def begin(self) -> None:
        """Begins the shutdown: runs the callbacks on this thread. Later calls have no effect."""
        with self._lock:
            self._has_begun = True
            callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            callback()

    @contextlib.contextmanager
    def notifying(self, callback: Callable[[], None]) -> Iterator[None]:
        """Within the block, calls ``callback`` when the shutdown begins; at once if it has begun."""
        with self._lock:
            has_begun = self._has_begun
            if not has_begun:
                self._callbacks.append(callback)
        if has_begun:
            callback()
        try:
            yield
        finally:
            with self._lock, contextlib.suppress(ValueError):
                self._callbacks.remove(callback)


def shutdown_error(method: str) -> Unavailable:
    """Returns the error with which the long calls of ``method`` end."""
    return Unavailable(f"call {method}: the server is shutting down")
