# SPDX-License-Identifier: MIT
"""The end of the interpreter, seen from an event loop on a thread that it leaves behind, such as a daemon thread.

What waits for the package on such a loop is cancelled, as ``asyncio.run`` cancels what is left at its own end. If that
ends the coroutine for which the loop runs, SystemExit is raised in the place of CancelledError, so that the thread ends
without a word. A loop that runs for ever goes on: it may run coroutines of others, for which the exit waits.
"""

from __future__ import annotations

import asyncio
import sys
import weakref
from types import FrameType
from typing import Any

from .. import _core

#: The loops whose coroutine is watched.
_watched: weakref.WeakSet[asyncio.AbstractEventLoop] = weakref.WeakSet()


def check_left_loop() -> None:
    """Raises CancelledError on a loop that the exit leaves behind. Call it before an operation begins there."""
    if _core.is_left_behind():
        watch_left_loop(asyncio.get_running_loop())
        raise asyncio.CancelledError("the interpreter is about to end")


def watch_left_loop(loop: asyncio.AbstractEventLoop) -> None:
    """Has the loop, which runs on this thread, end with SystemExit if the coroutine for which it runs is cancelled."""
    if loop not in _watched:
        _watched.add(loop)
        main = _future_that_ends_the_loop()
        if main is not None:
            main.add_done_callback(_end)


def _end(main: asyncio.Future[Any]) -> None:
    if main.cancelled():
        raise SystemExit


def _future_that_ends_the_loop() -> asyncio.Future[Any] | None:
    """Returns the future of ``run_until_complete()`` on this thread; None in ``run_forever()``."""
    frame: FrameType | None = sys._getframe()
    while frame is not None:
        found: Any = None
        if frame.f_code.co_name == "run_until_complete":
            found = frame.f_locals.get("future")
        elif frame.f_globals.get("__name__") == "asyncio.runners":  # loops that are written in C have no frames
            found = frame.f_locals.get("task")
        if asyncio.isfuture(found):
            return found
        frame = frame.f_back
    return None
