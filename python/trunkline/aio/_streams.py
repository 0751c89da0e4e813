# SPDX-License-Identifier: MIT
"""ClientStream: a streaming call, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from types import TracebackType
from typing import Any, Generic, TypeVar

from .. import _core
from .._caller import Opening
from .._codecs import Coding
from .._errors import Cancelled, FailedPrecondition, Internal, RpcError
from .._interceptors import Interception, StreamInterception
from .._metadata import Metadata
from ._loop import LoopInboxes, each, wait_for

Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)
Self = TypeVar("Self", bound="ClientStream[Any, Any]")


class ClientStream(Generic[Request, Response]):
    """Messages both ways. ``async for`` reads; leaving an ``async with`` block, or letting go of it, gives the call up
    unless it has ended. One task may read while another one writes. Cancelling either gives the call up.
    """

    def __init__(
        self,
        inboxes: LoopInboxes,
        begin: Opening,
        interception: Interception | None = None,
    ) -> None:
        self._inboxes = inboxes
        self._begin = begin
        self._core: _core.ClientStream | None = None
        self._coding: Coding | None = None
        self._interception: StreamInterception | None = None
        self._opening: asyncio.Future[None] | None = None
        self._not_begun = interception
        self._failed_write: RpcError | None = None
        self._is_given_up = False
        self._ended = False
        if interception is None:
            self._core, self._coding = begin()

    async def _opened(self) -> tuple[_core.ClientStream, Coding]:
        """With interceptors it is opened by the first of its operations, the others wait for that."""
        if self._core is None:
            if self._opening is None:
                self._opening = asyncio.ensure_future(self._open())
            try:
                await asyncio.shield(self._opening)
            except asyncio.CancelledError:
                if self._opening.cancelled():
                    raise Cancelled("the stream was given up") from None
                self.cancel()
                raise
        assert self._core is not None and self._coding is not None
        return self._core, self._coding

    async def _open(self) -> None:
        interception, self._not_begun = self._not_begun, None
        if interception is None or self._ended:
            raise Cancelled("the stream was given up")
        if not await interception.begin():
            interception.result()
            raise RuntimeError(f"stream {interception.call.method}: an interceptor has set a response; streams have none")
        try:
            self._core, self._coding = self._begin()
        except BaseException as error:
            await interception.end(None, error)
            interception.result()
            raise
        self._interception = StreamInterception(interception)

    async def _begun(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> Any:
        try:
            loop, inbox = self._inboxes.of_running_loop()
        except FailedPrecondition:
            # The channel is closed, and so the call is over: nothing waits, and its own error is told.
            return begin(*arguments, None, None).wait()
        future: asyncio.Future[Any] = loop.create_future()
        try:
            return await wait_for(begin(*arguments, inbox, future), future)
        except asyncio.CancelledError:
            self._is_given_up = True
            raise

    async def _begun_write(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> None:
        """How the call ended is for a read or ``finish`` to tell: it may have been answered already."""
        try:
            await self._begun(begin, *arguments)
        except RpcError as error:
            self._failed_write = error
            raise

    async def _do(self, begin: Callable[..., _core.StreamOperation]) -> Any:
        try:
            return await self._begun(begin)
        except RpcError as error:
            self._ended = True
            await self._end(error)
            raise

    async def _end(self, error: RpcError | None, is_known: bool = False) -> None:
        """Tells interceptors, and raises what they make of it; ``is_known``: the error itself need not be raised."""
        if self._interception is None:
            return
        told = await self._interception.end(error)
        if told is not None and not (is_known and told is error):
            raise told

    async def _next(self) -> tuple[bool, Any]:
        """(True, message), or (False, None) at the end."""
        core, coding = await self._opened()
        data = await self._do(core.begin_read)
        if data is not None:
            return True, coding.decode_as(core.codec(), data)
        self._ended = True
        await self._end(None)
        return False, None

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._let_go()

    async def _let_go(self) -> None:
        if not self._ended:
            self.cancel()
            await self._end(self._failed_write or Cancelled("the stream was given up"), is_known=True)

    async def read(self) -> Response:
        """The next message; raises EOFError once the server has ended the call with ok, or RpcError."""
        has_one, message = await self._next()
        if not has_one:
            raise EOFError("the stream has ended")
        return message  # type: ignore[no-any-return]

    def __aiter__(self) -> AsyncIterator[Response]:
        return self

    async def __anext__(self) -> Response:
        has_one, message = await self._next()
        if not has_one:
            raise StopAsyncIteration
        return message  # type: ignore[no-any-return]

    async def write(self, message: Request) -> None:
        """Waits until there is room for more."""
        core, coding = await self._opened()
        await self._begun_write(core.begin_write, coding.encode(message), False)

    async def close_writes(self) -> None:
        """Tells the server that nothing more will be written."""
        core, _ = await self._opened()
        await self._begun_write(core.begin_close_writes)

    async def finish(self) -> None:
        """Waits for the call's status and raises it unless it is ok. Messages not read yet can still be read."""
        core, _ = await self._opened()
        await self._do(core.begin_finish)
        self._ended = True
        await self._end(None)

    async def exchange(self, requests: Iterable[Request] | AsyncIterable[Request]) -> AsyncIterator[Response]:
        """Writes ``requests`` in a task of its own while it yields what is read. What ``requests`` raises ends the call
        and comes through."""
        async with self._writing(requests):
            async for message in self:
                yield message

    @contextlib.asynccontextmanager
    async def _writing(self, requests: Iterable[Any] | AsyncIterable[Any]) -> AsyncIterator[None]:
        """Writes them in a task of its own, meanwhile; raises what they raise."""
        writer = asyncio.ensure_future(self._write_all(requests))
        try:
            async with self:
                yield
        except RpcError:
            self._raise_failure(writer)
            raise
        finally:
            is_over = writer.done()
            writer.cancel()
            await asyncio.wait([writer])
            if not writer.cancelled():
                writer.exception()  # seen
        if is_over:
            self._raise_failure(writer)

    @staticmethod
    def _raise_failure(writer: asyncio.Future[None]) -> None:
        if not writer.done() or writer.cancelled():
            return
        failure = writer.exception()
        try:
            if failure is not None:
                raise failure from None
        finally:
            del failure  # which would keep its own traceback alive

    async def _write_all(self, requests: Iterable[Any] | AsyncIterable[Any]) -> None:
        try:
            async for request in each(requests):
                if not await self._write_unless_over(request):
                    return
        except BaseException:
            self.cancel()
            raise
        try:
            await self.close_writes()
        except RpcError:
            pass  # the reader is told

    def cancel(self) -> None:
        """Gives the call up; what waits on it ends with Cancelled."""
        self._is_given_up = True
        if self._core is not None:
            self._core.cancel()
        elif self._opening is None:
            self._ended = True  # it never begins
        else:
            self._opening.cancel()

    def _cut_off(self) -> bool:
        """When its channel is left: True if it was open."""
        if self._ended or self._is_given_up:
            return False
        self.cancel()
        return True

    @property
    def leading_metadata(self) -> Metadata:
        """What the server sent before its first message: complete once a message or the end has been read."""
        return Metadata() if self._core is None else Metadata._of(self._core.leading())

    @property
    def trailing_metadata(self) -> Metadata:
        """What it sent with the status: complete once the stream has ended."""
        return Metadata() if self._core is None else Metadata._of(self._core.trailing())

    async def _write_unless_over(self, message: Any) -> bool:
        """False if the server has ended the call meanwhile; its status says more than the failed write."""
        try:
            await self.write(message)
        except RpcError:
            return False
        return True

    async def _only_response(self) -> Any:
        core, coding = await self._opened()
        data = await self._do(core.begin_read)
        await self.finish()
        if data is None:
            raise Internal("finish stream: the server sent no response")
        return coding.decode_as(core.codec(), data)
