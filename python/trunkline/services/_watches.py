# SPDX-License-Identifier: MIT
"""watch, watch_async: streams that report changes until the caller or the server ends them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Callable, Generator, Iterator
from typing import Any, NamedTuple

from .._server.context import Context
from .._server.running_server_base import current_server
from .._server.shutdown_notifier import shutdown_error

#: Seconds between checks of a waiting thread whether the call was cancelled.
_CANCEL_CHECK = 0.25


class Wait(NamedTuple):
    """A step of a watch: wait until it is woken, or for ``seconds``; None for no limit."""

    seconds: float | None = None


#: ``steps(wake)`` yields messages to send and ``Wait``s. ``wake()`` wakes the watch; any thread may call it.
Steps = Callable[[Callable[[], None]], Generator[Any, None, None]]


def watch(steps: Steps, context: Context) -> Iterator[Any]:
    """Yields the messages of a watch in a plain function until the call is cancelled or the server shuts down."""
    awake = threading.Event()
    notifier = current_server.get()._shutdown_notifier
    with notifier.notifying(awake.set), contextlib.closing(steps(awake.set)) as running:
        for step in running:
            if not isinstance(step, Wait):
                yield step
                continue
            _wait(awake, step.seconds, context)
            if notifier.has_begun:
                raise shutdown_error(context.method)
            if context.is_cancelled():
                return


def _wait(awake: threading.Event, seconds: float | None, context: Context) -> None:
    end = None if seconds is None else time.monotonic() + seconds
    while not context.is_cancelled():
        left = _CANCEL_CHECK if end is None else min(_CANCEL_CHECK, end - time.monotonic())
        if awake.wait(max(0.0, left)):
            awake.clear()
            return
        if end is not None and time.monotonic() >= end:
            return


async def watch_async(steps: Steps) -> AsyncIterator[Any]:
    """Runs a watch on an event loop. The server cancels its task as it shuts down."""
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
