# SPDX-License-Identifier: MIT
"""DaemonPool: a bounded pool of daemon threads."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from .threads import fulfil

Work = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...]]


class DaemonPool:
    """Runs functions on up to ``size`` daemon threads, which are started when there is work for them. Any thread."""

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        self._work: deque[Work] = deque()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._closed = False

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        future: Future[Any] = Future()
        with self._changed:
            if self._closed:
                raise RuntimeError("the pool has been closed")
            self._work.append((future, function, arguments))
            if self._idle >= len(self._work) or len(self._threads) == self._size:
                self._changed.notify()
                return future
            name = f"{self._name}-{len(self._threads)}"
            thread = threading.Thread(target=self._serve, name=name, daemon=True)
            self._threads.append(thread)
        thread.start()
        return future

    def close(self) -> None:
        """Cancels the functions that have not begun. Threads end after the functions that they run."""
        with self._changed:
            self._closed = True
            left, self._work = self._work, deque()
            self._changed.notify_all()
        for future, _, _ in left:
            future.cancel()

    def join(self, timeout: float) -> None:
        """Waits up to ``timeout`` seconds for the threads. After ``close``."""
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))

    def _serve(self) -> None:
        while (work := self._next()) is not None:
            future, function, arguments = work
            if future.set_running_or_notify_cancel():
                fulfil(future, function, arguments)
            del work, future, function, arguments

    def _next(self) -> Work | None:
        with self._changed:
            self._idle += 1
            while not self._work and not self._closed:
                self._changed.wait()
            self._idle -= 1
            return self._work.popleft() if self._work else None
