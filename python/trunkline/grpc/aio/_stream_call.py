# SPDX-License-Identifier: MIT
"""The client's streaming calls, for asyncio, one class for each kind."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Generator
from typing import Any

from ... import _core
from ..._errors import RpcError as CoreError
from ...aio._request_source import RequestSource
from ...aio._request_task import RequestTask
from .._call_request import CODEC, CallRequest, deserialized
from .._ended_call import FailedCall
from .._metadatum import presented
from .._ongoing_call import CANCELLED
from .._outcome import Outcome, failed_outcome, ok_outcome
from .._status_code import StatusCode
from ._call_interfaces import StreamStreamCall, StreamUnaryCall, UnaryStreamCall
from ._errors import EOF, UsageError
from ._metadata import Metadata
from ._ongoing_call import A_YEAR, CallPlan, OngoingCall

_log = logging.getLogger(__name__)

_MIXED = "The iterator and the read/write APIs may not be mixed on a single RPC."
_NOTHING: Any = object()


class StreamOngoingCall(OngoingCall):
    """A call with a stream in the core."""

    _only_request: Any = _NOTHING

    def __init__(self, plan: CallPlan, asked: CallRequest) -> None:
        self._stream: _core.ClientStream | None = None
        self._reading = asyncio.Lock()
        #: The arrival of the metadata before the first message, once somebody waits for it.
        self._leading: asyncio.Future[Any] | None = None
        self._is_noticed = False
        super().__init__(plan, asked)

    def _open(self, settings: _core.CallSettings) -> None:
        plan = self._plan
        data = None if self._only_request is _NOTHING else self._serialized(self._only_request)
        self._stream = plan.core.open_stream(plan.method, CODEC, settings, data)

    def _cancel_on_wire(self) -> None:
        if self._stream is not None:
            self._stream.cancel()

    def _notice_end(self) -> None:
        if self._is_noticed or self._stream is None:
            return
        self._is_noticed = True
        future: asyncio.Future[Any] = self._loop.create_future()
        self._stream.begin_finish(self._inbox, future)
        future.add_done_callback(self._take_end)

    def _take_end(self, ended: asyncio.Future[Any]) -> None:
        if ended.cancelled():
            self._has_ended.cancel()
        else:
            self._end(self._outcome_of(ended.exception()))

    def _outcome_of(self, error: BaseException | None) -> Outcome:
        if error is None:
            assert self._stream is not None
            return ok_outcome(self._stream.leading(), self._stream.trailing())
        if isinstance(error, CoreError):
            return failed_outcome(error)
        return Outcome(StatusCode.INTERNAL, str(error), debug_error_string=repr(error))

    async def _read_raw(self) -> Any:
        """Returns the bytes of the next response; None once the call has ended."""
        await self._opened()
        if self._stream is None:
            return None
        if self._plan.calls.are_cancelled:
            return self._arrived(self._stream)
        try:
            data = await self._wait(self._stream.begin_read)
        except CoreError as error:
            self._end(failed_outcome(error))
            return None
        if data is None:
            self._end(self._outcome_of(None))
        return data

    def _arrived(self, stream: _core.ClientStream) -> Any:
        """Returns the bytes of the next response of a call that had ended before its channel was closed; None without
        one. The core has kept them."""
        if self._outcome is None or self._outcome is CANCELLED:
            return None
        read = stream.begin_read(None, None)
        try:
            return read.wait() if read.is_done() else None
        except CoreError:
            return None  # the outcome has it

    async def _next(self) -> Any:
        """Returns the next response; EOF once the call has ended with OK."""
        if self.cancelled():
            self._raise_for_outcome()
        async with self._reading:
            data = await self._read_raw()
        if data is None:
            await self._ended()
            self._raise_for_outcome()
            return EOF
        try:
            return deserialized(data, self._plan.deserialize)
        except FailedCall as error:
            self._fail(error._outcome)
            self._raise_for_outcome()

    def _fail(self, outcome: Outcome) -> None:
        """Ends the call from this side."""
        self._end(outcome)
        self._cancel_on_wire()

    async def _wait_for_leading(self) -> None:
        await self._opened()
        if self._outcome is not None or self._stream is None:
            return
        if self._leading is None:
            self._leading = self._loop.create_future()
            self._leading.add_done_callback(_retrieve)
            self._stream.begin_await_leading(self._inbox, self._leading)
        await asyncio.wait((self._leading, self._has_ended), return_when=asyncio.FIRST_COMPLETED)
        error = self._leading.exception() if self._leading.done() else None
        if error is not None:
            self._end(self._outcome_of(error))

    async def wait_for_connection(self) -> None:
        """Waits until the channel is connected. Raises AioRpcError if the call has ended with an error before."""
        await self._opened()
        channel = self._plan.channel
        if self._outcome is None and channel.state != "ready":
            self._notice_end()
            connecting = asyncio.ensure_future(channel.wait_for_ready(A_YEAR))
            connecting.add_done_callback(_retrieve)
            try:
                await asyncio.wait((connecting, self._has_ended), return_when=asyncio.FIRST_COMPLETED)
            finally:
                connecting.cancel()
        if self._outcome is not None:
            self._raise_for_outcome()

    async def initial_metadata(self) -> Metadata:
        """Returns the metadata that comes before the first message. Waits for it, for that message or for the end.
        Cancelling the task leaves the call alone."""
        await self._wait_for_leading()
        if self._outcome is None and self._stream is not None:
            return Metadata(*presented(self._stream.leading()))
        return Metadata(*(await self._ended()).initial_metadata)


class _ResponseIterator:
    """The responses of a call. No generator: an exception, such as that of a cancelled read, would seem to end it well
    for the next read."""

    def __init__(self, call: _Responses) -> None:
        self._call = call

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        response = await self._call._next()
        if response is EOF:
            raise StopAsyncIteration
        return response


class _Responses(StreamOngoingCall):
    """A call with a stream of responses."""

    _is_iterated: bool | None = None

    def _use(self, *, iterated: bool) -> None:
        if self._is_iterated not in (None, iterated):
            raise UsageError(_MIXED)
        self._is_iterated = iterated

    def __aiter__(self) -> AsyncIterator[Any]:
        self._use(iterated=True)
        return _ResponseIterator(self)

    async def read(self) -> Any:
        """Returns the next response; EOF after the last one."""
        self._use(iterated=False)
        return await self._next()


class _Requests(StreamOngoingCall):
    """A call with a stream of requests."""

    _writer: RequestTask | None = None

    def __init__(self, plan: CallPlan, asked: CallRequest, requests: Any) -> None:
        """``requests`` is an iterable or async iterable; None for a call that is written to."""
        self._is_written_to = requests is None
        self._is_done_writing = False
        super().__init__(plan, asked)
        if requests is not None:
            self._writer = RequestTask(requests, self._write_all)
            if self._outcome is not None:
                self._writer.stop()

    async def _write_all(self, requests: RequestSource) -> None:
        try:
            async for request in requests:
                if not await self._write_one(request):
                    return
            await self._close()
        except FailedCall as error:
            self._fail(error._outcome)
        except asyncio.CancelledError:
            self.cancel()  # no effect if it has ended, which is why the task was cancelled
            raise
        except Exception:
            _log.debug("the requests of a call have raised", exc_info=True)
            self.cancel()

    async def _write_one(self, request: Any) -> bool:
        """Writes a request. Returns False once the call has ended."""
        await self._opened()
        data = self._serialized(request)
        if self._stream is None or self._outcome is not None:
            return False
        try:
            await self._wait(self._stream.begin_write, data, False)
        except CoreError:
            return False
        return True

    async def _close(self) -> None:
        await self._opened()
        if self._is_done_writing or self._stream is None or self._outcome is not None:
            return
        self._is_done_writing = True
        try:
            await self._wait(self._stream.begin_close_writes)
        except CoreError:
            pass  # a read reports how the call has ended

    def _check_written(self) -> None:
        if not self._is_written_to:
            raise UsageError(_MIXED)

    async def write(self, request: Any) -> None:
        """Sends a request. Raises AioRpcError if the call has ended with an error, InvalidStateError if it has ended
        or no more requests may follow."""
        self._check_written()
        if self._outcome is not None:
            raise asyncio.InvalidStateError("RPC already finished.")
        if self._is_done_writing:
            raise asyncio.InvalidStateError('RPC is half closed after calling "done_writing".')
        try:
            is_written = await self._write_one(request)
        except FailedCall as error:
            self._fail(error._outcome)
            is_written = False
        if not is_written:
            await self._ended()
            self._raise_for_outcome()

    async def done_writing(self) -> None:
        """Tells the server that no more requests follow."""
        self._check_written()
        await self._close()

    def _end(self, outcome: Outcome) -> None:
        super()._end(outcome)
        if self._writer is not None:
            self._writer.stop()


class WireResponses(_Responses, UnaryStreamCall[Any, Any]):
    """A ``UnaryStreamCall`` that the core carries."""

    def __init__(self, plan: CallPlan, asked: CallRequest, request: Any) -> None:
        self._only_request = request
        super().__init__(plan, asked)

    async def wait_for_connection(self) -> None:
        """Waits until the server has begun to respond, as grpcio does. Cancelling the task cancels the call. Raises
        AioRpcError if the call has ended with an error."""
        try:
            await self._wait_for_leading()
        except asyncio.CancelledError:
            self.cancel()
            raise
        if self._outcome is not None:
            self._raise_for_outcome()


class WireRequests(_Requests, StreamUnaryCall[Any, Any]):
    """A ``StreamUnaryCall`` that the core carries."""

    def __init__(self, plan: CallPlan, asked: CallRequest, requests: Any) -> None:
        super().__init__(plan, asked, requests)
        self._response: Any = None
        self._receiver = self._loop.create_task(self._receive())
        self._receiver.add_done_callback(_retrieve)

    async def _receive(self) -> None:
        """Reads the response and the status."""
        async with self._reading:
            data = await self._read_raw()
            if data is not None and self._stream is not None:
                try:
                    await self._wait(self._stream.begin_finish)
                    self._response = deserialized(data, self._plan.deserialize)
                except CoreError as error:
                    return self._end(failed_outcome(error))
                except FailedCall as error:
                    return self._end(error._outcome)
                self._end(self._outcome_of(None))
        if data is None and self._outcome is not None and self._outcome.code is StatusCode.OK:
            self._outcome = Outcome(StatusCode.INTERNAL, "the server sent no response")

    def _notice_end(self) -> None:
        pass  # the receiver does

    def __await__(self) -> Generator[Any, None, Any]:
        try:
            yield from self._receiver
        except asyncio.CancelledError:
            self.cancel()
            raise
        if self._outcome is None:
            yield from self._ended().__await__()
        self._raise_for_outcome()
        return self._response


class WireStreams(_Requests, _Responses, StreamStreamCall[Any, Any]):
    """A ``StreamStreamCall`` that the core carries."""


def _retrieve(ended: asyncio.Future[Any]) -> None:
    if not ended.cancelled():
        ended.exception()
