# SPDX-License-Identifier: MIT
"""DaemonPool: a bounded pool of daemon threads."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from .. import _core
from .thread_names import name_for_system
from .threads import fulfil, is_refused_by_exit

Function = tuple[Callable[..., Any], tuple[Any, ...]]


class DaemonPool:
    """Runs functions on up to ``size`` daemon threads, which start when there is work. Any thread may use it."""

    def __init__(self, size: int, name: str) -> None:
        self._size = size
        self._name = name
        #: The functions that have not begun, the oldest first.
        self._work: OrderedDict[Future[Any], Function] = OrderedDict()
        self._changed = threading.Condition()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._closed = False

    def submit(self, function: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Runs the function on the pool. Once its future is cancelled, the pool holds neither it nor its arguments."""
        future = _PoolFuture(self)
        with self._changed:
            if self._closed:
                raise RuntimeError("the pool has been closed")
            self._work[future] = (function, arguments)
            if self._idle >= len(self._work) or len(self._threads) == self._size:
                self._changed.notify()
                return future
            name = f"{self._name}-{len(self._threads)}"
            thread = threading.Thread(target=self._serve, name=name, daemon=True)
            self._threads.append(thread)
        try:
            thread.start()
        except RuntimeError as error:
            self._do_without(thread, future, error)
        return future

    def _do_without(self, thread: threading.Thread, future: Future[Any], error: RuntimeError) -> None:
        """Leaves the function to the other threads, as the system has refused this one. Without any it runs at once if
        that is so because the interpreter ends; otherwise this raises ``error``."""
        with self._changed:
            self._threads.remove(thread)
            self._changed.notify()
            work = self._work.pop(future, None) if not self._threads else None
        if work is None:
            return
        if not is_refused_by_exit(error):
            raise error
        if future.set_running_or_notify_cancel():
            fulfil(future, *work)

    def close(self) -> None:
        """Cancels the functions that have not begun. Threads end after the functions that they run."""
        with self._changed:
            self._closed = True
            left, self._work = self._work, OrderedDict()
            self._changed.notify_all()
        for future in left:
            future.cancel()

    def join(self, timeout: float) -> None:
        """Waits up to ``timeout`` seconds for the threads. Call it after ``close``."""
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))

    def waiting(self) -> int:
        """Returns the number of functions that have not begun."""
        return len(self._work)

    def forget(self, future: Future[Any]) -> None:
        with self._changed:
            self._work.pop(future, None)

    def _serve(self) -> None:
        name_for_system(threading.current_thread())
        _core.keep_through_exit()
        while (work := self._next()) is not None:
            future, (function, arguments) = work
            if future.set_running_or_notify_cancel():
                fulfil(future, function, arguments)
            del work, future, function, arguments

    def _next(self) -> tuple[Future[Any], Function] | None:
        with self._changed:
            self._idle += 1
            while not self._work and not self._closed:
                self._changed.wait()
            self._idle -= 1
            return self._work.popitem(last=False) if self._work else None


class _PoolFuture(Future[Any]):
    """Leaves its pool when it is cancelled."""

    def __init__(self, pool: DaemonPool) -> None:
        super().__init__()
        self._pool = pool

    def cancel(self) -> bool:
        is_cancelled = super().cancel()
        if is_cancelled:
            self._pool.forget(self)
        return is_cancelled
