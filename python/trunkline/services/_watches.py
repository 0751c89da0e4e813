# SPDX-License-Identifier: MIT
"""Streams that tell what changes, until the caller or the server ends them; for servers of either kind."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import Any, NamedTuple

from .._context import Context
from .._lasting_calls import ended
from .._server import current_server

#: Seconds after which a thread that waits looks whether the caller is still there.
_LOOK = 0.25


class Wait(NamedTuple):
    """What a watch does next: nothing, until it is woken or so many seconds have passed; None: no matter how many."""

    seconds: float | None = None


#: Of a function that wakes the watch, on any thread: messages to be sent and Waits.
Steps = Callable[[Callable[[], None]], Generator[Any, None, None]]


def watch(steps: Steps, context: Context) -> Iterator[Any]:
    """Messages for a plain function to yield, until the caller is gone or the server's end begins."""
    awake = threading.Event()
    ending = current_server.get()._ending
    with ending.telling(awake.set), contextlib.closing(steps(awake.set)) as running:
        for step in running:
            if not isinstance(step, Wait):
                yield step
                continue
            _wait(awake, step.seconds, context)
            if ending.has_begun:
                raise ended(context.method)
            if context.is_cancelled():
                return


def _wait(awake: threading.Event, seconds: float | None, context: Context) -> None:
    end = None if seconds is None else time.monotonic() + seconds
    while not context.is_cancelled():
        left = _LOOK if end is None else min(_LOOK, end - time.monotonic())
        if awake.wait(max(0.0, left)):
            awake.clear()
            return
        if end is not None and time.monotonic() >= end:
            return


async def watch_async(steps: Steps) -> AsyncIterator[Any]:
    """The same on an event loop, where the server cancels it at its end."""
    awake = asyncio.Event()
    loop = asyncio.get_running_loop()

    def wake() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(awake.set)

    with contextlib.closing(steps(wake)) as running:
        for step in running:
            if not isinstance(step, Wait):
                yield step
                continue
            with contextlib.suppress(asyncio.TimeoutError):
                await asyncio.wait_for(awake.wait(), step.seconds)
            awake.clear()
