# SPDX-License-Identifier: MIT
"""OngoingCall: a client's call from its begin to its end, for asyncio."""

from __future__ import annotations

import abc
import asyncio
import time
from collections.abc import Callable
from typing import Any

from ... import _core
from ..._errors import RpcError as CoreError
from ...aio._channel import Channel as TrunklineChannel
from ...aio._loop_inbox import in_a_thread
from .._call_request import CallRequest, ChannelTerms, checked, plain_settings, serialized
from .._ended_call import FailedCall
from .._ongoing_call import CANCELLED
from .._metadatum import encoded
from .._outcome import Outcome, failed_outcome, text_of
from .._service_config import ServiceConfig
from .._status_code import StatusCode
from ._active_calls import ActiveCalls
from ._call_interfaces import Call
from ._errors import error_of
from ._metadata import Metadata

_PLAIN = CallRequest()

#: Seconds, for what is waited for without limit.
A_YEAR = 365 * 86400.0


class CallPlan:
    """The parts that a method of a channel gives to each of its calls."""

    def __init__(
        self,
        channel: TrunklineChannel,
        calls: ActiveCalls,
        terms: ChannelTerms,
        config: ServiceConfig,
        method: str,
        serialize: Callable[[Any], bytes] | None,
        deserialize: Callable[[bytes], Any] | None,
    ) -> None:
        self.channel = channel
        self.calls = calls
        self.core = channel._core
        self.terms = terms
        self.method = method.removeprefix("/")
        self.config = config.for_method(self.method)
        self.serialize = serialize
        self.deserialize = deserialize


class OngoingCall(Call, metaclass=abc.ABCMeta):
    """A call that may be under way. Its constructor begins it, on the running event loop, and needs no other turn of
    the loop unless the call has credentials."""

    def __init__(self, plan: CallPlan, asked: CallRequest) -> None:
        self._plan = plan
        if plan.config is not None:
            asked = plan.config.applied_to(asked)
        self._deadline = asked.deadline()
        self._loop, self._inbox = plan.channel._inboxes.of_running_loop()
        self._outcome: Outcome | None = None
        #: Done once the call has ended; cancelled on a loop that the exit of the interpreter leaves behind.
        self._has_ended: asyncio.Future[None] = self._loop.create_future()
        self._callbacks: list[Callable[[Any], None]] = []
        #: The futures that cancelling the call interrupts.
        self._waiting: set[asyncio.Future[Any]] = set()
        self._opening: asyncio.Task[None] | None = None
        if asked.credentials is not None or plan.terms.credentials is not None:
            self._opening = self._loop.create_task(self._open_with_credentials(asked))
            return
        _check_metadata(asked.metadata)
        settings = plain_settings() if asked == _PLAIN else asked.settings(plan.method, plan.terms)
        self._try_to_open(settings)

    async def _open_with_credentials(self, asked: CallRequest) -> None:
        """Opens the call on a thread, as the plug-in of the credentials may block."""
        try:
            settings = await in_a_thread(asked.settings, self._plan.method, self._plan.terms)
        except FailedCall as error:
            return self._end(error._outcome)
        if self._outcome is None:
            self._try_to_open(settings)

    def _try_to_open(self, settings: _core.CallSettings) -> None:
        try:
            self._open(settings)
        except CoreError as error:
            self._end(failed_outcome(error))
        except FailedCall as error:
            self._end(error._outcome)

    def _serialized(self, request: Any) -> bytes:
        return checked(serialized(request, self._plan.serialize), self._plan.terms.send_limit)

    # --- for subclasses ---

    @abc.abstractmethod
    def _open(self, settings: _core.CallSettings) -> None:
        """Begins the call in the core."""

    @abc.abstractmethod
    def _cancel_on_wire(self) -> None:
        """Cancels the call in the core, if it has begun there."""

    def _notice_end(self) -> None:
        """Has the end of the call noticed from now on, although nobody reads."""

    def _end(self, outcome: Outcome) -> None:
        """Ends the call. Only the first outcome counts."""
        if self._outcome is not None:
            return
        self._outcome = outcome
        if not self._has_ended.done():
            self._has_ended.set_result(None)
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            self._loop.call_soon(callback, self)

    async def _opened(self) -> None:
        """Waits until the call is open in the core, or has ended before."""
        opening = self._opening
        if opening is None:
            return
        if not opening.done():
            await asyncio.wait((opening,))
        if self._outcome is None:
            opening.result()

    async def _ended(self) -> Outcome:
        if self._outcome is None:
            await self._opened()
        if self._outcome is None:
            self._notice_end()
            await asyncio.shield(self._has_ended)
        assert self._outcome is not None
        return self._outcome

    async def _wait(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> Any:
        """Waits for an operation of the core. Cancelling the task cancels the call; cancelling the call raises
        CancelledError."""
        future: asyncio.Future[Any] = self._loop.create_future()
        self._waiting.add(future)
        try:
            begin(*arguments, self._inbox, future)
            return await future
        except (asyncio.CancelledError, GeneratorExit):
            self.cancel()
            raise
        finally:
            self._waiting.discard(future)
            del future  # it holds the exception, whose traceback refers to this frame

    def _raise_for_outcome(self) -> None:
        """Raises what the end of the call means for its caller."""
        assert self._outcome is not None
        if self._outcome is CANCELLED:
            raise asyncio.CancelledError
        if self._outcome.code is not StatusCode.OK:
            raise error_of(self._outcome)

    # --- the call ---

    def cancelled(self) -> bool:
        return self._outcome is not None and self._outcome.code is StatusCode.CANCELLED

    def done(self) -> bool:
        if self._outcome is None and self._opening is None:
            self._notice_end()
        return self._outcome is not None

    def time_remaining(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def cancel(self) -> bool:
        if self._outcome is not None:
            return False
        self._end(CANCELLED)
        if self._opening is not None:
            self._opening.cancel()
        self._cancel_on_wire()
        for future in self._waiting:
            future.cancel()
        return True

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        if self.done():
            callback(self)
        else:
            self._callbacks.append(callback)

    async def initial_metadata(self) -> Metadata:
        return Metadata(*(await self._ended()).initial_metadata)

    async def trailing_metadata(self) -> Metadata:
        return Metadata(*(await self._ended()).trailing_metadata)

    async def code(self) -> StatusCode:
        return (await self._ended()).code

    async def details(self) -> str:
        return (await self._ended()).details

    async def debug_error_string(self) -> str:
        """Returns the status with the server's address, for logs."""
        return (await self._ended()).debug_error_string

    def __del__(self) -> None:
        if getattr(self, "_outcome", self) is None and not self._loop.is_closed():
            self._cancel_on_wire()

    def __repr__(self) -> str:
        return text_of("_AioCall", self._outcome)  # the name of grpcio's class

    __str__ = __repr__


def _check_metadata(metadata: Any) -> None:
    """Raises TypeError or ValueError for what is no metadata."""
    try:
        encoded(metadata)
    except ValueError as error:
        if isinstance(error.__cause__, TypeError):
            raise error.__cause__ from None
        raise
