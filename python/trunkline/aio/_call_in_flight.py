# SPDX-License-Identifier: MIT
"""CallInFlight: one of many concurrent calls, for asyncio."""

from __future__ import annotations

import asyncio
from typing import Any

from .. import _core
from .._calls.reads import give_up_future
from .._messages.builtin_codecs import Decode


class CallInFlight:
    """A call and the future of its response. Whoever waits for it may give that up, and wait again."""

    __slots__ = ("_call", "_decode", "future")

    def __init__(self, call: _core.ClientCall | None, future: asyncio.Future[Any], decode: Decode) -> None:
        """``call`` was begun with ``future`` as its tag. It is None if the future is a task, whose cancellation cancels
        the call."""
        self._call = call
        self._decode = decode
        self.future = future

    async def until_done(self) -> None:
        """Waits for the end of the call. Cancelling the task does not cancel the call."""
        future = self.future
        try:
            if self._call is None:
                await asyncio.wait((future,))
            else:
                await future
        except (asyncio.CancelledError, GeneratorExit):
            is_given_up = future.cancelled() or not future.done()
            if self._call is not None and is_given_up and not _core.is_left_behind():
                self._renew(self._call)
                give_up_future(future)
            raise
        except Exception:
            if not future.done():
                raise
        finally:
            del future  # it holds the exception, whose traceback refers to this frame

    def _renew(self, call: _core.ClientCall) -> None:
        """Gives the call another future, as the one before was given up with the coroutine that awaited it."""
        self.future = self.future.get_loop().create_future()
        if not call.is_done():
            return call.set_tag(self.future)
        try:
            self.future.set_result(call.wait())
        except Exception as error:
            self.future.set_exception(error)

    def outcome(self, return_exceptions: bool) -> Any:
        """Returns or raises the outcome of the call, which has ended. With ``return_exceptions`` it returns errors."""
        try:
            return self._decode(self.future.result())
        except Exception as error:
            if not return_exceptions:
                raise
            return error
        finally:
            del self  # the future holds the exception, whose traceback refers to this frame

    def cancel(self) -> None:
        """Cancels the call, on the loop's thread."""
        if self._call is not None:
            self._call.cancel()  # even if the future was cancelled with the task that awaited it
        if not self.future.done():
            self.future.cancel()
        elif not self.future.cancelled():
            self.future.exception()  # marks it as retrieved

    def cancel_call(self) -> None:
        """Cancels the call in the core, if it has begun there. Any thread may call it."""
        if self._call is not None:
            self._call.cancel()
