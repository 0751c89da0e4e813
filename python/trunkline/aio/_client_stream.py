# SPDX-License-Identifier: MIT
"""ClientStream: a streaming call, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from types import TracebackType
from typing import Any, Generic, TypeVar

from .. import _core
from .._calls.interception import Interception
from .._client.response_info import ResponseInfo
from .._client.stream_call import OpenStream, StreamCall
from .._errors import Cancelled, FailedPrecondition, RpcError
from .._metadata import Metadata
from ._loop_inbox import LoopInboxes, each, wait_for

Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)
Self = TypeVar("Self", bound="ClientStream[Any, Any]")


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
        if interception is None:
            self._stream, self._coding = open_stream()

    async def opened(self) -> AsyncStreamCall:
        """Returns this call, once it is open. Cancelling the task cancels the call."""
        if self._stream is None:
            if self._opening is None:
                self._opening = asyncio.ensure_future(self._open_once())
            try:
                await asyncio.shield(self._opening)
            except asyncio.CancelledError:
                if self._opening.cancelled():
                    raise Cancelled("the stream was given up") from None
                self.cancel()
                raise
        return self

    async def _open_once(self) -> None:
        if self.has_ended:
            raise Cancelled("the stream was given up")
        await self.open()

    async def _wait(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> Any:
        try:
            loop, inbox = self._inboxes.of_running_loop()
        except FailedPrecondition:
            # The channel is closed, so the call is over: the operation does not block and reports the call's own error.
            return begin(*arguments, None, None).wait()
        future: asyncio.Future[Any] = loop.create_future()
        try:
            return await wait_for(begin(*arguments, inbox, future), future)
        except asyncio.CancelledError:
            self.is_cancelled = True
            raise

    def cancel(self) -> None:
        super().cancel()
        if self._stream is None:
            if self._opening is None:
                self.has_ended = True  # it is never opened
            else:
                self._opening.cancel()


class ClientStream(Generic[Request, Response]):
    """A stream of requests to the server and a stream of responses from it.

    ``async for`` reads. Leaving an ``async with`` block, or dropping the last reference, cancels the call unless it has
    ended. One task may read while another one writes; cancelling either of them cancels the call.
    """

    def __init__(self, call: AsyncStreamCall) -> None:
        """Streams are made by ``aio.Channel.stream`` and ``aio.Channel.server_stream``."""
        self._call = call

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self._call.leave()

    async def read(self) -> Response:
        """Returns the next message. Raises EOFError once the server has ended the call with ok, RpcError otherwise."""
        has_message, message = await (await self._call.opened()).read()
        if not has_message:
            raise EOFError("the stream has ended")
        return message  # type: ignore[no-any-return]

    def __aiter__(self) -> AsyncIterator[Response]:
        return self

    async def __anext__(self) -> Response:
        has_message, message = await (await self._call.opened()).read()
        if not has_message:
            raise StopAsyncIteration
        return message  # type: ignore[no-any-return]

    async def write(self, message: Request) -> None:
        """Sends a message. Waits until flow control leaves room for more."""
        await (await self._call.opened()).write(message)

    async def close_writes(self) -> None:
        """Tells the server that no more messages follow."""
        await (await self._call.opened()).close_writes()

    async def finish(self) -> None:
        """Waits for the status of the call and raises it unless it is ok. Unread messages can still be read."""
        await (await self._call.opened()).finish()

    async def exchange(self, requests: Iterable[Request] | AsyncIterable[Request]) -> AsyncIterator[Response]:
        """Writes ``requests`` in a task of its own while it yields the responses. An exception of ``requests`` ends the
        call and is raised here."""
        async with self._writing(requests):
            async for message in self:
                yield message

    def cancel(self) -> None:
        """Cancels the call: operations in progress raise Cancelled."""
        self._call.cancel()

    @property
    def leading_metadata(self) -> Metadata:
        """The metadata that the server sent before its first message; complete once a message or the end is read."""
        return self._call.leading_metadata()

    @property
    def trailing_metadata(self) -> Metadata:
        """The metadata that the server sent with the status; complete once the stream has ended."""
        return self._call.trailing_metadata()

    @contextlib.asynccontextmanager
    async def _writing(self, requests: Iterable[Any] | AsyncIterable[Any]) -> AsyncIterator[None]:
        """Writes ``requests`` in a task of its own while the block runs; raises what they raise."""
        writer = asyncio.ensure_future(self._write_all(requests))
        try:
            async with self:
                yield
        except RpcError:
            _raise_error_of(writer)
            raise
        finally:
            has_ended = writer.done()
            writer.cancel()
            await asyncio.wait([writer])
            if not writer.cancelled():
                writer.exception()  # marks it as retrieved
        if has_ended:
            _raise_error_of(writer)

    async def _write_all(self, requests: Iterable[Any] | AsyncIterable[Any]) -> None:
        try:
            call = await self._call.opened()
        except RpcError:
            return  # the reader reports it
        try:
            async for request in each(requests):
                if not await call.write_unless_ended(request):
                    return
        except BaseException:
            self.cancel()
            raise
        await call.close_writes_unless_ended()

    async def _only_response(self) -> Any:
        return await (await self._call.opened()).only_response()


def _raise_error_of(writer: asyncio.Future[None]) -> None:
    if not writer.done() or writer.cancelled():
        return
    error = writer.exception()
    try:
        if error is not None:
            raise error from None
    finally:
        del error  # it would keep its own traceback alive
