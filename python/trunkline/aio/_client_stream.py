# SPDX-License-Identifier: MIT
"""ClientStream: a streaming call, for asyncio."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable
from types import TracebackType
from typing import Any, Generic, TypeVar

from .._errors import RpcError
from .._metadata import Metadata
from ._exchange import Exchange
from ._request_writer import RequestWriter
from ._stream_call import AsyncStreamCall

Request = TypeVar("Request", contravariant=True)
Response = TypeVar("Response", covariant=True)
Self = TypeVar("Self", bound="ClientStream[Any, Any]")


class ClientStream(Generic[Request, Response]):
    """A stream of requests to the server and a stream of responses from it.

    ``async for`` reads. Leaving an ``async with`` block, or dropping the last reference, cancels the call unless it has
    ended. One task may read while another one writes.

    Cancelling a task that waits here, for instance by ``asyncio.timeout``, gives up that one operation; the call goes
    on. The next read returns the message that a read which was given up would have returned. A message whose write was
    given up has been sent, or is not sent at all. ``cancel`` ends the call.
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

    def exchange(self, requests: Iterable[Request] | AsyncIterable[Request]) -> AsyncGenerator[Response, None]:
        """Writes ``requests`` in a task of its own while it yields the responses. An exception of ``requests`` ends the
        call and is raised here. Once an error was raised here, reads raise errors only.

        A generator is closed in that task once the call has ended. The iterator waits a tenth of a second for that;
        ``finally`` blocks that take longer go on in their task. What they raise is logged, since the call has its
        outcome.

        Cancelling a task that waits for a response gives up that read only: the call goes on, and the next read returns
        the response. Closing or dropping the iterator cancels the call.
        """
        return Exchange(self, self._call, requests)

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

    async def _response_to(self, writer: RequestWriter) -> Any:
        """Returns the one response to the requests that ``writer`` writes, or raises what they raise."""
        try:
            async with self:
                response = await (await self._call.opened()).only_response()
        except GeneratorExit:
            writer.stop()
            raise
        except RpcError:
            await writer.end()
            writer.raise_failure()
            raise
        except BaseException:
            await writer.end()
            raise
        await writer.end()
        writer.raise_failure()
        return response
