# SPDX-License-Identifier: MIT
"""ActiveCalls: the calls of one channel that may be under way, which end with it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import weakref
from typing import Any

from ...aio._loop_inbox import running_loop
from ._errors import UsageError

_log = logging.getLogger(__name__)


class ActiveCalls:
    """Refuses further calls once the channel is being closed, and cancels those that are left. It does not keep a call
    alive. The calls may belong to any number of event loops; each is cancelled on its own."""

    def __init__(self) -> None:
        #: True once no more calls may begin.
        self.is_closed = False
        #: True once the calls that were left have been cancelled: from then on the core reports nothing more.
        self.are_cancelled = False
        self._process = os.getpid()
        #: A set whose operations are atomic, as event loops on several threads use it.
        self._calls: set[weakref.ref[Any]] = set()

    def check_open(self) -> None:
        """Raises UsageError if no more calls may begin."""
        if self.is_closed:
            raise UsageError("Channel is closed.")

    def add(self, call: Any) -> None:
        """Adds a call, which has ``cancel()``, ``code()``, ``done()`` and its event loop as ``_loop``."""
        self._calls.add(weakref.ref(call, self._calls.discard))

    async def close(self, grace: float | None) -> None:
        """Refuses further calls, gives those under way ``grace`` seconds, and cancels the others, also if the waiting
        task is cancelled."""
        self.is_closed = True
        try:
            if grace:
                await self._wait(grace)
        finally:
            self._cancel_all()

    async def _wait(self, grace: float) -> None:
        loop = asyncio.get_running_loop()
        waiting = [_end_of(call, loop) for call in self._alive() if call._loop is not loop or not call.done()]
        if not waiting:
            return
        try:
            await asyncio.wait(waiting, timeout=grace)
        finally:
            for each in waiting:
                each.cancel()

    def _alive(self) -> list[Any]:
        calls = (reference() for reference in list(self._calls))
        return [call for call in calls if call is not None and not call._loop.is_closed()]

    def _cancel_all(self) -> None:
        self.are_cancelled = True
        if self._process != os.getpid():
            return  # the calls are the parent's
        loop = running_loop()
        for call in self._alive():
            if call._loop is loop:
                _cancel(call)
            else:
                with contextlib.suppress(RuntimeError):  # the loop has been closed meanwhile
                    call._loop.call_soon_threadsafe(_cancel, call)


def _cancel(call: Any) -> None:
    try:
        call.cancel()
    except Exception:
        _log.exception("a call that interceptors have made cannot be cancelled")


def _end_of(call: Any, loop: asyncio.AbstractEventLoop) -> asyncio.Future[None]:
    """Returns a future of the loop that is done once the call has ended. Cancelling it leaves the call alone."""
    own: asyncio.AbstractEventLoop = call._loop
    if own is loop:
        return loop.create_task(_wait_for_end(call))
    return asyncio.wrap_future(asyncio.run_coroutine_threadsafe(_wait_for_end(call), own), loop=loop)


async def _wait_for_end(call: Any) -> None:
    with contextlib.suppress(Exception):  # interceptors have raised it, and whoever awaits the call gets it
        await call.code()
