# SPDX-License-Identifier: MIT
"""Ending: of a running server; calls that last until then hear of it."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator


class Ending:
    """Begun once, when its server drains or stops. Any thread."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._has_begun = False
        self._told: list[Callable[[], None]] = []

    @property
    def has_begun(self) -> bool:
        return self._has_begun

    def begin(self) -> None:
        with self._lock:
            self._has_begun = True
            told, self._told = self._told, []
        for tell in told:
            tell()

    @contextlib.contextmanager
    def telling(self, tell: Callable[[], None]) -> Iterator[None]:
        """Calls it when the end begins; at once if it has."""
        with self._lock:
            is_late = self._has_begun
            if not is_late:
                self._told.append(tell)
        if is_late:
            tell()
        try:
            yield
        finally:
            with self._lock, contextlib.suppress(ValueError):
                self._told.remove(tell)
