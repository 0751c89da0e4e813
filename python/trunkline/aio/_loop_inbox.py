# SPDX-License-Identifier: MIT
"""LoopInbox: completions of the core for one event loop; LoopInboxes: those of a channel, one for each loop."""

from __future__ import annotations

import asyncio
import contextvars
import logging
import os
from collections.abc import Callable
from typing import Any

from .. import _core
from .._calls.reads import give_up_future
from .._client.state_watch import StateWatch
from .._errors import RpcError
from .._process import threads
from .._process.batches import do_each
from ._left_loop import check_left_loop, watch_left_loop

_log = logging.getLogger("trunkline")


class LoopInbox:
    """An inbox of the core that an event loop watches. Its completions set futures of the loop, a batch at a time."""

    __slots__ = ("__weakref__", "_loop", "_process", "core")

    def __init__(self, core: _core.Inbox, loop: asyncio.AbstractEventLoop) -> None:
        self.core = core
        self._loop = loop
        self._process = os.getpid()
        loop.add_reader(core.fileno(), _complete, core)

    def close(self) -> None:
        """Closes it, on the loop's thread, or once the loop is closed. No effect in a forked child, which shares the
        descriptors and the loop's epoll set with the parent."""
        if self._process != os.getpid():
            return
        if not self._loop.is_closed():
            self._loop.remove_reader(self.core.fileno())
            _complete(self.core)  # completions since the loop last looked
        self.core.close()

    def close_from_anywhere(self) -> None:
        """Closes it from any thread: at once on the loop's thread, otherwise when the loop runs next."""
        if self._process != os.getpid():
            return
        if running_loop() is self._loop:
            return self.close()
        try:
            self._loop.call_soon_threadsafe(self.close)
        except RuntimeError:  # it is closed
            self.core.close()


def running_loop() -> asyncio.AbstractEventLoop | None:
    """Returns the loop that runs on this thread, if any. In a coroutine none does if that is destroyed, with its loop
    gone."""
    return asyncio._get_running_loop()


def _complete(inbox: _core.Inbox) -> None:
    do_each(inbox.take(), _set, tries=2)


def _set(ended: tuple[asyncio.Future[Any] | StateWatch, Any]) -> None:
    future, outcome = ended
    if isinstance(future, StateWatch):
        try:
            return contextvars.copy_context().run(future.report, outcome)
        except Exception:
            return _log.exception("on_state_change: the callback has raised")
    if future.done():
        return
    if isinstance(outcome, SystemExit):  # the thread is left behind
        future.cancel()
        watch_left_loop(future.get_loop())
    elif isinstance(outcome, BaseException):
        future.set_exception(outcome)
    else:
        future.set_result(outcome)


class LoopInboxes:
    """The inboxes of a channel, made when a loop first uses the channel. Those of closed loops are closed."""

    def __init__(self, make: Callable[[], _core.Inbox]) -> None:
        self._make = make
        self._by_loop: dict[asyncio.AbstractEventLoop, LoopInbox] = {}

    def of_running_loop(self) -> tuple[asyncio.AbstractEventLoop, _core.Inbox]:
        """Returns the loop and its inbox. Raises CancelledError on a loop that the exit of the interpreter leaves
        behind."""
        check_left_loop()
        loop = asyncio.get_running_loop()
        found = self._by_loop.get(loop)
        if found is None:
            for other in list(self._by_loop):
                if other.is_closed() and (gone := self._by_loop.pop(other, None)) is not None:
                    gone.close()
            found = self._by_loop[loop] = LoopInbox(self._make(), loop)
        return loop, found.core

    def close(self) -> None:
        """Closes the inboxes, on any thread."""
        inboxes, self._by_loop = self._by_loop, {}
        for inbox in inboxes.values():
            inbox.close_from_anywhere()


async def in_a_thread(function: Callable[..., Any], *arguments: Any) -> Any:
    """Runs a blocking function on a thread and waits for it. Cancelling the task returns at once; neither the loop nor
    the exit of the process waits for the function."""
    try:
        return await asyncio.wrap_future(threads.begin_in_thread(function, *arguments))
    except RpcError:
        check_left_loop()
        raise


async def outcome_of(begin: Callable[..., _core.Completion], *arguments: Any, inbox: _core.Inbox) -> Any:
    """Returns the outcome of the operation that ``begin(*arguments, inbox, tag)`` begins. If the wait is given up, so
    is the operation."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    operation = begin(*arguments, inbox, future)
    try:
        return await future
    except RpcError:
        raise
    except BaseException:
        operation.cancel()
        give_up_future(future)
        raise
    finally:
        del future  # it holds the exception, whose traceback refers to this frame
