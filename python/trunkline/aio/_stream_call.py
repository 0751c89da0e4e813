# SPDX-License-Identifier: MIT
"""AsyncStreamCall: a streaming call of a client, for asyncio."""

from __future__ import annotations

import asyncio
import copy
from collections.abc import Callable
from typing import Any

from .. import _core
from .._calls.interception import Interception
from .._client.response_info import ResponseInfo
from .._client.stream_call import OpenStream, StreamCall
from .._errors import Cancelled, FailedPrecondition
from ._left_loop import check_left_loop
from ._loop_inbox import LoopInboxes, outcome_of


class AsyncStreamCall(StreamCall):
    """A streaming call whose operations suspend the task. Without interceptors it is open from the start; with them the
    first operation opens it, and others wait for that."""

    def __init__(
        self,
        method: str,
        open_stream: OpenStream,
        interception: Interception | None,
        response_info: ResponseInfo | None,
        inboxes: LoopInboxes,
    ) -> None:
        super().__init__(method, open_stream, interception, response_info)
        self._inboxes = inboxes
        self._opening: asyncio.Future[None] | None = None
        #: What opening the call has raised. Once it is raised a copy takes its place, as its traceback refers to this
        #: call.
        self._opening_error: BaseException | None = None
        if interception is None:
            self._begin()

    async def opened(self) -> AsyncStreamCall:
        """Returns this call, once it is open. Cancelling the task does not cancel the call."""
        if self._stream is None:
            if self._opening is None:
                self._opening = asyncio.ensure_future(self._open_once())
            # Unlike a shielded await, this raises CancelledError only if this task is cancelled.
            await asyncio.wait((self._opening,))
            if self._opening.cancelled():
                check_left_loop()
                raise Cancelled("the stream was given up")
            if self._opening_error is not None:
                error, self._opening_error = self._opening_error, _copy_of(self._opening_error)
                try:
                    raise error
                finally:
                    del error  # its traceback refers to this frame
        return self

    async def _open_once(self) -> None:
        try:
            if self.has_ended:
                raise Cancelled("the stream was given up")
            await self.open()
        except asyncio.CancelledError:
            raise
        except BaseException as error:
            self._opening_error = error
            if isinstance(error, (KeyboardInterrupt, SystemExit)):
                raise  # for the event loop

    async def _wait(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> Any:
        try:
            _, inbox = self._inboxes.of_running_loop()
        except FailedPrecondition:
            # The channel is closed, so the call is over: the operation does not block and reports the call's own error.
            return begin(*arguments, None, None).wait()
        return await outcome_of(begin, *arguments, inbox=inbox)

    async def _read(self) -> Any:
        try:
            loop, inbox = self._inboxes.of_running_loop()
        except FailedPrecondition:
            return self._reads.read_now()  # as in _wait()
        return await self._reads.read(loop, inbox)

    def cancel_stream(self) -> None:
        """Cancels the call if it is open. Any thread may call it."""
        super().cancel()

    def cancel(self) -> None:
        super().cancel()
        if self._stream is None:
            if self._opening is None:
                self.has_ended = True  # it is never opened
            else:
                self._opening.cancel()


def _copy_of(error: BaseException) -> BaseException:
    """Returns a copy without traceback; if it cannot be copied, an error with its text."""
    try:
        made = copy.copy(error)
    except Exception:
        return Cancelled(f"opening the stream has raised {type(error).__name__}: {error}")
    made.__cause__, made.__suppress_context__ = error.__cause__, error.__suppress_context__
    return made
