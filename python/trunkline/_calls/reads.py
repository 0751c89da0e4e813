# SPDX-License-Identifier: MIT
"""Reads: the reads of one stream, of which one that is given up loses no message."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _core
from .._errors import FailedPrecondition, RpcError

if TYPE_CHECKING:
    import asyncio  # code that blocks does without

#: Seconds between two looks at a read that another event loop has given up.
_PAUSE = 0.001


class Reads:
    """The reads of one stream, of a client or of a handler; one at a time.

    A read may be given up: by the exception of a signal handler, by cancelling its task or by closing its coroutine. If
    its message had come by then, the next read returns it.
    """

    __slots__ = ("_begin", "_inbox", "is_reading", "untaken")

    def __init__(self, begin: Callable[..., _core.StreamOperation]) -> None:
        """``begin``: called with (inbox, tag, self); begins a read in the core, and sets ``untaken`` to it before a
        signal handler can raise."""
        self._begin = begin
        #: The inbox of the last read; None for one that blocks.
        self._inbox: _core.Inbox | None = None
        #: True while a read is in progress.
        self.is_reading = False
        #: The read whose message nobody has taken. The core remembers the end of the stream and its errors itself.
        self.untaken: _core.StreamOperation | None = None

    def check_idle(self) -> None:
        """Raises FailedPrecondition while a read is in progress, as another one must wait for its end."""
        if self.is_reading:
            raise FailedPrecondition("read stream: another read of this stream is under way")

    def read_now(self) -> Any:
        """Returns the bytes of the next message, or None after the last one. Blocks. Raises RpcError."""
        data = self.peek_now()
        self.untaken = None
        return data

    def peek_now(self) -> Any:
        """Reads as ``read_now`` does. The next read returns the same message unless the caller sets ``untaken`` to None
        first, which is the last thing that he does before he returns: an interruption before that loses nothing."""
        self.check_idle()
        self.is_reading = True
        try:
            given_up = self.untaken
            if given_up is not None:
                if self._inbox is not None:
                    given_up.cancel()
                    while not given_up.is_done():  # an operation of an inbox wakes no thread that waits for it
                        time.sleep(_PAUSE)
                message = _message_of(given_up)
                if message is not None:
                    return message
                self.untaken = None
            self._inbox = None
            read = self._begin(None, None, self)
            try:
                return read.wait()
            except RpcError:
                self.untaken = None
                raise
        finally:
            self.is_reading = False

    async def read(self, loop: asyncio.AbstractEventLoop, inbox: _core.Inbox) -> Any:
        """Reads as ``read_now`` does, on the running event loop, to which the inbox belongs."""
        self.check_idle()
        self.is_reading = True
        try:
            given_up = self.untaken
            if given_up is not None:
                message = await self._resume(given_up, loop, inbox)
                self.untaken = None
                if message is not None:
                    return message
            future: asyncio.Future[Any] = loop.create_future()
            self._inbox = inbox
            read = self._begin(inbox, future, self)
            try:
                message = await future
            except RpcError:
                self.untaken = None
                raise
            except BaseException:
                read.cancel()
                give_up_future(future)
                raise
            finally:
                del future  # it holds the exception, whose traceback refers to this frame
            self.untaken = None
            return message
        finally:
            self.is_reading = False

    async def _resume(
        self, given_up: _core.StreamOperation, loop: asyncio.AbstractEventLoop, inbox: _core.Inbox
    ) -> Any:
        """Returns the message of a read that was given up, which ends soon; None if it has none."""
        if inbox is self._inbox and not given_up.is_done():
            future: asyncio.Future[Any] = loop.create_future()
            given_up.set_tag(future)
            try:
                return await future
            except RpcError:
                return None
            except BaseException:
                given_up.cancel()
                give_up_future(future)
                raise
            finally:
                del future
        given_up.cancel()
        while not given_up.is_done():  # its inbox belongs to another event loop
            await _pause(loop)
        return _message_of(given_up)


async def _pause(loop: asyncio.AbstractEventLoop) -> None:
    over: asyncio.Future[None] = loop.create_future()

    def end() -> None:
        if not over.done():
            over.set_result(None)

    timer = loop.call_later(_PAUSE, end)
    try:
        await over
    finally:
        timer.cancel()


def _message_of(read: _core.StreamOperation) -> Any:
    """Waits for the end of a read that was given up. Returns its message; None if it has none."""
    try:
        return read.wait()
    except RpcError:
        return None
    except SystemExit:
        if not _core.is_left_behind():
            raise
        return None  # the next read ends the thread, or cancels the task


def give_up_future(future: asyncio.Future[Any]) -> None:
    """Cancels a future that nobody awaits any more. Closing a coroutine does not, as cancelling its task does, and the
    loop would report that nobody has retrieved its exception."""
    if not future.get_loop().is_closed():
        future.cancel()
