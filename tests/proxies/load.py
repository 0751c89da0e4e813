# SPDX-License-Identifier: MIT
"""Calls that several threads make one after the other while something happens to the servers."""

from __future__ import annotations

import threading
from collections.abc import Callable


class Load:
    """Runs `call` in `threads` threads from the beginning of a `with` block to its end, which raises what it raised."""

    def __init__(self, call: Callable[[], object], threads: int = 4) -> None:
        self.calls = 0
        self._call = call
        self._lock = threading.Lock()
        self._ends = threading.Event()
        self._errors: list[BaseException] = []
        self._threads = [threading.Thread(target=self._run) for _ in range(threads)]

    def _run(self) -> None:
        try:
            while not self._ends.is_set():
                self._call()
                with self._lock:
                    self.calls += 1
        except BaseException as error:
            self._errors.append(error)

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ends.set()
        for thread in self._threads:
            thread.join()
        for error in self._errors:
            raise error
