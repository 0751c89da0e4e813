# SPDX-License-Identifier: MIT
"""Daemon threads for functions that block. At exit they are joined after everything that they may wait for is
closed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any


def begin_in_thread(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Runs the function on a thread of its own. Cancelling the future does not stop the function."""
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    thread = threading.Thread(target=_run, args=(future, function, arguments), name="trunkline-wait", daemon=True)
    _waiting.add(thread)
    thread.start()
    return future


def join_all(timeout: float) -> None:
    """Waits up to ``timeout`` seconds for the threads of ``begin_in_thread``, at exit, once everything is closed."""
    deadline = time.monotonic() + timeout
    for thread in list(_waiting):
        thread.join(max(0.0, deadline - time.monotonic()))


_waiting: set[threading.Thread] = set()


def _run(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    try:
        fulfil(future, function, arguments)
    finally:
        _waiting.discard(threading.current_thread())


def fulfil(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    """Calls the function and sets its result or exception."""
    try:
        result = function(*arguments)
    except (StopIteration, KeyboardInterrupt, SystemExit) as error:
        # Coroutines and event loops would take these for their own if a future raised them.
        future.set_exception(_converted(error))
        del error
    except BaseException as error:
        future.set_exception(error)
        del error  # it would keep its own traceback alive
    else:
        future.set_result(result)


def _converted(error: BaseException) -> RuntimeError:
    converted = RuntimeError(f"{type(error).__name__} raised on a worker thread")
    converted.__cause__ = error
    return converted
