# SPDX-License-Identifier: MIT
"""Daemon threads for functions that block. At exit they are joined after everything that they may wait for is
closed."""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

from .. import _core


def begin_in_thread(function: Callable[..., Any], *arguments: Any) -> Future[Any]:
    """Runs the function on a thread of its own, or at once on this one if the interpreter ends and starts no thread any
    more. Cancelling the future does not stop the function. Raises RuntimeError if the system refuses the thread."""
    try:
        return start_thread(function, *arguments)
    except RuntimeError as error:
        if not is_refused_by_exit(error):
            raise
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    fulfil(future, function, arguments)
    return future


def start_thread(function: Callable[..., Any], *arguments: Any, name: str = "trunkline-wait") -> Future[Any]:
    """Runs the function on a thread of its own. Raises RuntimeError if the system refuses the thread, as Python 3.12 does
    from the end of the main thread on, and this once the interpreter is torn down."""
    if sys.is_finalizing():  # start() would wait for a thread that gets to run no more
        raise RuntimeError("can't create new thread at interpreter shutdown")
    future: Future[Any] = Future()
    future.set_running_or_notify_cancel()
    thread = threading.Thread(target=_run, args=(future, function, arguments), name=name, daemon=True)
    thread.start()
    # A thread that has not been started cannot be joined, so it is added now. It may have ended by then.
    _waiting.add(thread)
    if future.done():
        _waiting.discard(thread)
    return future


def is_refused_by_exit(error: RuntimeError) -> bool:
    """Returns whether ``Thread.start()`` has raised the error because the main thread has ended. Nothing else tells:
    ``sys.is_finalizing()`` is False until all other threads have ended too."""
    return "interpreter shutdown" in str(error)


def join_all(timeout: float) -> None:
    """Waits up to ``timeout`` seconds for the threads of ``begin_in_thread``, at exit, once everything is closed."""
    deadline = time.monotonic() + timeout
    for thread in list(_waiting):
        thread.join(max(0.0, deadline - time.monotonic()))


_waiting: set[threading.Thread] = set()


def _run(future: Future[Any], function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    _core.keep_through_exit()
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
