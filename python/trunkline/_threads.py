# SPDX-License-Identifier: MIT
"""Threads for what blocks: daemons, so that no exit waits for them before what they wait for has been closed."""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

Work = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...]]


def begin(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Runs it on a thread of its own; cancelling the future has no effect on that."""
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    thread = threading.Thread(target=_run, args=(future, function, arguments), name="trunkline-wait", daemon=True)
    _waiting.add(thread)
    thread.start()
    return future


def join_all(timeout: float) -> None:
    """At exit, once everything is closed: lets threads of ``begin`` see that."""
    deadline = time.monotonic() + timeout
    for thread in list(_waiting):
        thread.join(max(0.0, deadline - time.monotonic()))


_waiting: set[threading.Thread] = set()


def _run(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        _fulfil(future, function, arguments)
    finally:
        _waiting.discard(threading.current_thread())


def _fulfil(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        result = function(*arguments)
    except (StopIteration, KeyboardInterrupt, SystemExit) as error:
        # What coroutines and event loops take for their own, whoever awaits the future.
        future.set_exception(_converted(error))
        del error
    except BaseException as error:
        future.set_exception(error)
        del error  # which would keep its own traceback alive
    else:
        future.set_result(result)


def _converted(error: BaseException) -> RuntimeError:
    converted = RuntimeError(f"{type(error).__name__} raised on a worker thread")
    converted.__cause__ = error
    return converted


class DaemonPool:
    """Runs functions on up to ``size`` threads, which are started when there is work for them."""

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
        """Cancels what has not begun; threads end once what they run has."""
        with self._changed:
            self._closed = True
            left, self._work = self._work, deque()
            self._changed.notify_all()
        for future, _, _ in left:
            future.cancel()

    def join(self, timeout: float) -> None:
        """After ``close``."""
        deadline = time.monotonic() + timeout
        for thread in self._threads:
            if thread is not threading.current_thread():
                thread.join(max(0.0, deadline - time.monotonic()))

    def _serve(self) -> None:
        while (work := self._next()) is not None:
            future, function, arguments = work
            if future.set_running_or_notify_cancel():
                _fulfil(future, function, arguments)
            del work, future, function, arguments

    def _next(self) -> Work | None:
        with self._changed:
            self._idle += 1
            while not self._work and not self._closed:
                self._changed.wait()
            self._idle -= 1
            return self._work.popleft() if self._work else None
