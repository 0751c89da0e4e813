# SPDX-License-Identifier: MIT
"""StreamCall: one streaming call of a client, shared by the streams for code that blocks and for asyncio."""

from __future__ import annotations

import abc
import copy
from collections.abc import Awaitable, Callable
from typing import Any, NoReturn

from .. import _core
from .._calls.interception import Interception
from .._calls.reads import Reads
from .._errors import Cancelled, RpcError, Unimplemented
from .._messages.codec_table import MessageCoding
from .._metadata import Metadata
from .response_info import ResponseInfo

#: Opens the stream in the core.
OpenStream = Callable[[], "tuple[_core.ClientStream, MessageCoding]"]


class StreamCall(abc.ABC):
    """The messages, the status and the interceptors of one streaming call.

    Its coroutines suspend in ``_wait`` and in asynchronous interceptors only. Code that blocks has neither, and runs
    them with ``call_now``. One read and one write may be in progress at the same time.

    Interceptors start before the stream is opened, and are resumed once, at its end.
    """

    def __init__(
        self,
        method: str,
        open_stream: OpenStream,
        interception: Interception | None,
        response_info: ResponseInfo | None,
    ) -> None:
        """``interception`` is None for a channel without interceptors. ``response_info`` is filled in when the call
        ends, before the interceptors are resumed."""
        self.method = method
        self._open_stream = open_stream
        self._interception = interception
        self._response_info = response_info
        #: True while interceptors are to be resumed at the end of the call.
        self.is_intercepted = False
        self._stream: _core.ClientStream | None = None
        self._coding: MessageCoding
        self._reads: Reads
        self._write_error: RpcError | None = None
        #: The status of the call has been read, or the call was given up before it was opened.
        self.has_ended = False
        #: True once interceptors have raised an error at the end of the call, which the core may call ok.
        self.has_end_failed = False
        #: The caller has given the call up.
        self.is_cancelled = False

    @abc.abstractmethod
    async def _wait(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> Any:
        """Begins an operation with ``begin(*arguments, inbox, tag)`` and returns its outcome. If the wait is
        interrupted, the operation is given up, and the call goes on."""

    @abc.abstractmethod
    async def _read(self) -> Any:
        """The bytes of the next message, or None after the last one."""

    def _begin(self) -> None:
        """Opens the stream in the core."""
        self._stream, self._coding = self._open_stream()
        del self._open_stream  # it holds the request of a server stream
        self._reads = Reads(self._stream.begin_read)

    @property
    def is_open(self) -> bool:
        return self._stream is not None

    @property
    def is_being_read(self) -> bool:
        """Returns whether a read is in progress."""
        return self._stream is not None and self._reads.is_reading

    @property
    def _core_stream(self) -> _core.ClientStream:
        assert self._stream is not None
        return self._stream

    async def open(self) -> None:
        """Runs the interceptors up to their ``yield``, then opens the stream. Raises what either raises."""
        interception = self._interception
        if interception is None:
            return self._begin()
        if not await interception.begin():
            interception.result()
            raise RuntimeError(
                f"stream {interception.call.method}: an interceptor has set a response; streams have none"
            )
        try:
            self._begin()
        except BaseException as error:
            await interception.end(None, error)
            interception.result()
            raise
        self.is_intercepted = True

    async def read(self) -> tuple[bool, Any]:
        """Returns (True, message), or (False, None) once the server has ended the call with ok. Raises RpcError."""
        self._reads.check_idle()  # what it raises is not the status of the call
        data = await self._wait_for_status(self._read())
        if data is not None:
            return True, self._coding.decode_as(self._core_stream.codec(), data)
        await self._end()
        return False, None

    async def write(self, message: Any) -> None:
        """Waits until there is room for more messages."""
        await self._wait_for_write(self._core_stream.begin_write, self._coding.encoded(self.method, message), False)

    async def write_unless_ended(self, message: Any) -> bool:
        """Returns False if the server has ended the call; its status says more than the failed write."""
        try:
            await self.write(message)
        except RpcError:
            return False
        return True

    async def close_writes(self) -> None:
        await self._wait_for_write(self._core_stream.begin_close_writes)

    async def close_writes_unless_ended(self) -> None:
        try:
            await self.close_writes()
        except RpcError:
            pass  # a read reports the status

    async def finish(self) -> None:
        """Waits for the status of the call and raises it unless it is ok."""
        await self._wait_for_status(self._wait(self._core_stream.begin_finish))
        await self._end()

    async def only_response(self) -> Any:
        """Returns the one response of a call with a stream of requests, whose writes are closed elsewhere."""
        stream = self._core_stream
        self._reads.check_idle()
        data = await self._wait_for_status(self._read())
        codec = stream.codec()
        await self._wait_for_status(self._wait(stream.begin_finish))
        if data is None:
            await self._refuse("the server sent no response")
        if await self._wait_for_status(self._read()) is not None:
            await self._refuse("the server sent several responses")
        await self._end()
        return self._coding.decode_as(codec, data)

    async def leave(self) -> None:
        """Gives the call up unless it has ended. The interceptors see the error of a failed write, or Cancelled."""
        if not self.has_ended:
            self.cancel()
            error, self._write_error = self._write_error, None
            try:
                await self._end_interceptors(error or Cancelled("the stream was given up"), is_raised=False)
            finally:
                del error

    def cancel(self) -> None:
        """Gives the call up: operations in progress end with Cancelled."""
        self.is_cancelled = True
        if self._stream is not None:
            self._stream.cancel()

    def cut_off(self) -> bool:
        """Cancels the call when the block of its channel is left. Returns True if the call was still open."""
        if self.has_ended or self.is_cancelled:
            return False
        self.cancel()
        return True

    def leading_metadata(self) -> Metadata:
        return Metadata() if self._stream is None else Metadata._of(self._stream.leading())

    def trailing_metadata(self) -> Metadata:
        return Metadata() if self._stream is None else Metadata._of(self._stream.trailing())

    async def _wait_for_write(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> None:
        """Waits for a write. If it fails, a read or ``finish`` reports how the call ended, perhaps with ok."""
        try:
            await self._wait(begin, *arguments)
        except RpcError as error:
            self._note_write_error(error)
            raise

    def _note_write_error(self, error: RpcError) -> None:
        """Keeps the error of a failed write for the interceptors: a copy without traceback, which would refer to the
        requests. Any thread may call it; once the call has ended nobody needs the error."""
        if self.is_intercepted:
            self._write_error = copy.copy(error)

    async def _refuse(self, problem: str) -> NoReturn:
        """Ends a call that the server has ended with ok, but not as its kind demands."""
        error = Unimplemented(f"finish stream: {problem}", trailing_metadata=self.trailing_metadata())
        error.leading_metadata = self.leading_metadata()
        error.peer = self._core_stream.peer()
        try:
            await self._fail(error)
            raise error
        finally:
            del error

    async def _wait_for_status(self, outcome: Awaitable[Any]) -> Any:
        """Waits for an operation whose error is the status of the call."""
        try:
            return await outcome
        except RpcError as error:
            await self._fail(error)
            raise

    async def _fail(self, error: RpcError) -> None:
        """Runs when the call has ended with ``error``. Raises the error that the interceptors leave instead, if any."""
        self._note_end()
        try:
            await self._end_interceptors(error, is_raised=True)
        finally:
            del error  # its traceback refers to this frame

    async def _end(self) -> None:
        """Runs when the call has ended with ok."""
        self._note_end()
        if self.is_intercepted:
            await self._end_interceptors(None, is_raised=True)

    def _note_end(self) -> None:
        self.has_ended = True
        self._write_error = None
        if self._response_info is not None:
            self._response_info._set(self._core_stream)

    async def _end_interceptors(self, error: RpcError | None, *, is_raised: bool) -> None:
        """Raises the error that the interceptors leave. With ``is_raised``, also if it is ``error`` itself."""
        if not self.is_intercepted:
            return
        self.is_intercepted = False
        interception, self._interception = self._interception, None
        assert interception is not None
        left: BaseException | None = None
        try:
            if await interception.end(None, error):
                method = interception.call.method
                raise RuntimeError(f"stream {method}: an interceptor yields again; streams are sent once")
            left, interception.error = interception.error, None
            if left is not None and (is_raised or left is not error):
                self.has_end_failed = True
                raise left
        finally:
            del left, error  # their tracebacks refer to this frame
