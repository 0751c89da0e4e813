# SPDX-License-Identifier: MIT
"""The calls of a channel with interceptors, for asyncio, one class for each kind."""

from __future__ import annotations

import asyncio
import copy
import time
from collections.abc import AsyncIterator, Callable, Coroutine, Generator
from typing import Any

from .._ongoing_call import CANCELLED
from .._status_code import StatusCode
from ._call_interfaces import Call, StreamStreamCall, StreamUnaryCall, UnaryStreamCall, UnaryUnaryCall
from ._errors import EOF, AioRpcError, UsageError
from ._metadata import Metadata
from ._written_requests import END, WrittenRequests


_FINISHED = "RPC already finished."


class InterceptedCall(Call):
    """A call that interceptors make, in a task. They may end with a call, with a response, or with an exception."""

    def __init__(self, make: Callable[[], Coroutine[Any, Any, Any]], timeout: float | None) -> None:
        """``make`` runs the interceptors."""
        self._loop = asyncio.get_running_loop()
        self._deadline = None if timeout is None else time.monotonic() + timeout
        self._making: asyncio.Task[Any] = self._loop.create_task(make())
        self._making.add_done_callback(self._made)
        self._callbacks: list[Callable[[Any], None]] = []

    def _made(self, making: asyncio.Task[Any]) -> None:
        """Runs when the interceptors have ended; the callbacks wait for the call that they have made, if any."""
        call = None
        if not making.cancelled() and making.exception() is None:
            call = making.result()
        callbacks, self._callbacks = self._callbacks, []
        for callback in callbacks:
            self._add_to(call, callback)

    def _add_to(self, call: Any, callback: Callable[[Any], None]) -> None:
        if isinstance(call, Call):
            call.add_done_callback(lambda _: callback(self))
        else:
            callback(self)

    async def _call(self) -> Any:
        """Returns what the interceptors have returned. Raises what they have raised."""
        return await asyncio.shield(self._making)

    def cancel(self) -> bool:
        if not self._making.done():
            return self._making.cancel()
        call = self._finished_call()
        return bool(isinstance(call, Call) and call.cancel())

    def _finished_call(self) -> Any:
        if self._making.cancelled() or self._making.exception() is not None:
            return None
        return self._making.result()

    def cancelled(self) -> bool:
        if not self._making.done():
            return False
        if self._making.cancelled():
            return True
        error = self._making.exception()
        if isinstance(error, AioRpcError):
            return error.code() is StatusCode.CANCELLED
        call = self._finished_call()
        return isinstance(call, Call) and call.cancelled()

    def done(self) -> bool:
        if not self._making.done():
            return False
        call = self._finished_call()
        return call.done() if isinstance(call, Call) else True

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        if self._making.done():
            self._add_to(self._finished_call(), callback)
        else:
            self._callbacks.append(callback)

    def time_remaining(self) -> float | None:
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    async def _told(self, ask: str, of_error: Callable[[AioRpcError], Any], otherwise: Any) -> Any:
        """Returns what the call tells when ``ask`` is called; for calls that were not made, what is known instead."""
        try:
            call = await self._call()
        except AioRpcError as error:
            return of_error(error)
        except asyncio.CancelledError:
            if not self._making.cancelled():
                raise
            return of_error(AioRpcError(CANCELLED.code, None, None, CANCELLED.details, CANCELLED.debug_error_string))
        return await getattr(call, ask)() if hasattr(call, ask) else otherwise

    async def initial_metadata(self) -> Metadata | None:
        told: Metadata | None = await self._told("initial_metadata", lambda error: error.initial_metadata(), None)
        return told

    async def trailing_metadata(self) -> Metadata | None:
        told: Metadata | None = await self._told("trailing_metadata", lambda error: error.trailing_metadata(), None)
        return told

    async def code(self) -> StatusCode:
        found: StatusCode = await self._told("code", lambda error: error.code(), StatusCode.OK)
        return found

    async def details(self) -> str:
        found: str = await self._told("details", lambda error: error.details(), "")
        return found

    async def debug_error_string(self) -> str | None:
        """Returns the status with the server's address, for logs; None if interceptors have made no call."""
        found: str | None = await self._told("debug_error_string", lambda error: error.debug_error_string(), None)
        return found

    async def wait_for_connection(self) -> None:
        call = await self._call()
        if isinstance(call, Call):
            await call.wait_for_connection()


class _InterceptedResponse(InterceptedCall):
    """A call with one response."""

    def __await__(self) -> Generator[Any, None, Any]:
        try:
            call = yield from self._making
            response = (yield from call.__await__()) if isinstance(call, (UnaryUnaryCall, StreamUnaryCall)) else call
        except asyncio.CancelledError:
            self.cancel()
            raise
        return response


class _ResponseIterator:
    """The responses of a call, as that of the calls that the core carries."""

    def __init__(self, call: _InterceptedResponses) -> None:
        self._call = call

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        response = await self._call.read()
        if response is EOF:
            raise StopAsyncIteration
        return response


class _InterceptedResponses(InterceptedCall):
    """A call with a stream of responses."""

    _responses: AsyncIterator[Any] | None = None
    #: The error that has ended the stream.
    _error: BaseException | None = None

    def __aiter__(self) -> AsyncIterator[Any]:
        return _ResponseIterator(self)

    async def read(self) -> Any:
        """Returns the next response; EOF after the last one. Raises what has ended the stream, also when it is asked
        again. Cancelling the task cancels the call, or the interceptors."""
        try:
            if self._responses is None:
                self._responses = aiter(await self._making)
            response = await anext(self._responses, EOF)
        except (asyncio.CancelledError, AioRpcError) as error:
            self._error = copy.copy(error)  # without the traceback, which would refer to this call
            self.cancel()
            raise
        if response is EOF and self._error is not None:
            raise copy.copy(self._error)
        return response


class _InterceptedRequests(InterceptedCall):
    """A call with a stream of requests."""

    def __init__(
        self, make: Callable[[Any], Coroutine[Any, Any, Any]], timeout: float | None, requests: Any
    ) -> None:
        """``make`` runs the interceptors with the requests. ``requests`` is None for a call that is written to."""
        self._written = WrittenRequests() if requests is None else None
        given = self._written if requests is None else requests
        super().__init__(lambda: make(given), timeout)

    def _made(self, making: asyncio.Task[Any]) -> None:
        super()._made(making)
        if self._written is None:
            return
        end = self._written.end
        call = self._finished_call()
        if isinstance(call, Call):
            call.add_done_callback(lambda _: end())
        else:
            end()

    def _writable(self) -> WrittenRequests:
        if self._written is None:
            raise UsageError("The iterator and the read/write APIs may not be mixed on a single RPC.")
        return self._written

    async def _put(self, written: WrittenRequests, request: Any) -> bool:
        """Hands a request on, and waits until it was taken or the interceptors have ended, as they may raise. Returns
        False if the call has ended. Cancelling the task cancels the call."""
        try:
            is_put = await written.put(request)
            if not self._making.done():
                taken = self._loop.create_task(written.wait_until_taken())
                try:
                    await asyncio.wait((self._making, taken), return_when=asyncio.FIRST_COMPLETED)
                finally:
                    taken.cancel()
            return is_put
        except asyncio.CancelledError:
            self.cancel()
            raise

    def _raised(self) -> BaseException | None:
        """Returns what the interceptors have raised, if they have ended with an exception of theirs."""
        return self._making.exception() if self._making.done() and not self._making.cancelled() else None

    async def write(self, request: Any) -> None:
        """Sends a request. Raises what the interceptors have raised; InvalidStateError if the call has ended, also with
        an AioRpcError of theirs."""
        written = self._writable()
        is_closed, is_put = written.is_closed, False
        if not self.done() and not is_closed:
            is_put = await self._put(written, request)
        raised = self._raised()
        if raised is not None and not isinstance(raised, AioRpcError):
            self._making.result()
        if self.done() or not (is_put or is_closed):
            raise asyncio.InvalidStateError(_FINISHED)
        if is_closed:
            raise asyncio.InvalidStateError('RPC is half closed after calling "done_writing".')

    async def done_writing(self) -> None:
        """Tells the server that no more requests follow. Raises what the interceptors have raised, InvalidStateError if
        they have been cancelled."""
        written = self._writable()
        if not written.is_closed and not self.done():
            written.is_closed = True
            await self._put(written, END)
        if self._making.cancelled():
            raise asyncio.InvalidStateError(_FINISHED)
        if self._raised() is not None:
            self._making.result()


class InterceptedUnaryUnaryCall(_InterceptedResponse, UnaryUnaryCall[Any, Any]):
    """A ``UnaryUnaryCall`` that interceptors have made."""


class InterceptedUnaryStreamCall(_InterceptedResponses, UnaryStreamCall[Any, Any]):
    """A ``UnaryStreamCall`` that interceptors have made."""


class InterceptedStreamUnaryCall(_InterceptedRequests, _InterceptedResponse, StreamUnaryCall[Any, Any]):
    """A ``StreamUnaryCall`` that interceptors have made."""


class InterceptedStreamStreamCall(_InterceptedRequests, _InterceptedResponses, StreamStreamCall[Any, Any]):
    """A ``StreamStreamCall`` that interceptors have made."""
