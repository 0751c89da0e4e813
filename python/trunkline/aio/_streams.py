# SPDX-License-Identifier: MIT
"""ClientStream: a streaming call, for asyncio."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable
from types import TracebackType
from typing import Any, TypeVar

from .. import _core
from .._calls import Coding
from .._errors import Internal, RpcError
from .._metadata import Metadata
from ._loop import LoopInboxes, each, wait_for

Self = TypeVar("Self", bound="ClientStream")


class ClientStream:
    """Messages both ways. ``async for`` reads; leaving an ``async with`` block, or letting go of it, gives the call up
    unless it has ended. One task may read while another one writes. Cancelling either gives the call up.
    """

    def __init__(self, core: _core.ClientStream, coding: Coding, inboxes: LoopInboxes) -> None:
        self._core = core
        self._coding = coding
        self._inboxes = inboxes
        self._ended = False

    async def _do(self, begin: Callable[..., _core.StreamOperation], *arguments: Any) -> Any:
        loop, inbox = self._inboxes.of_running_loop()
        future: asyncio.Future[Any] = loop.create_future()
        return await wait_for(begin(*arguments, inbox, future), future)

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._let_go()

    def _let_go(self) -> None:
        if not self._ended:
            self._core.cancel()

    async def read(self) -> Any:
        """The next message; raises EOFError once the server has ended the call with ok, or RpcError."""
        data = await self._do(self._core.begin_read)
        if data is None:
            self._ended = True
            raise EOFError("the stream has ended")
        return self._coding.decode(data)

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        data = await self._do(self._core.begin_read)
        if data is None:
            self._ended = True
            raise StopAsyncIteration
        return self._coding.decode(data)

    async def write(self, message: Any) -> None:
        """Waits until there is room for more."""
        await self._do(self._core.begin_write, self._coding.encode(message), False)

    async def close_writes(self) -> None:
        """Tells the server that nothing more will be written."""
        await self._do(self._core.begin_close_writes)

    async def finish(self) -> None:
        """Waits for the call's status and raises it unless it is ok. Messages not read yet can still be read."""
        await self._do(self._core.begin_finish)
        self._ended = True

    async def exchange(self, requests: Iterable[Any] | AsyncIterable[Any]) -> AsyncIterator[Any]:
        """Writes ``requests`` in a task of its own while it yields what is read. What ``requests`` raises ends the call
        and comes through."""

        async def write() -> None:
            try:
                async for request in each(requests):
                    if not await self._write_unless_over(request):
                        return
                await self.close_writes()
            except RpcError:
                pass  # the reader is told
            except BaseException:
                self._core.cancel()
                raise

        writer = asyncio.ensure_future(write())
        try:
            async with self:
                async for message in self:
                    yield message
        except RpcError:
            if writer.done() and not writer.cancelled() and writer.exception() is not None:
                await writer
            raise
        finally:
            writer.cancel()
            await asyncio.wait([writer])

    def cancel(self) -> None:
        """Gives the call up; what waits on it ends with Cancelled."""
        self._core.cancel()

    @property
    def leading_metadata(self) -> Metadata:
        """What the server sent before its first message: complete once a message or the end has been read."""
        return Metadata(self._core.leading())

    @property
    def trailing_metadata(self) -> Metadata:
        """What it sent with the status: complete once the stream has ended."""
        return Metadata(self._core.trailing())

    async def _write_unless_over(self, message: Any) -> bool:
        """False if the server has ended the call meanwhile; its status says more than the failed write."""
        try:
            await self.write(message)
        except RpcError:
            return False
        return True

    async def _only_response(self) -> Any:
        try:
            await self.close_writes()
        except RpcError:
            pass  # the status follows
        data = await self._do(self._core.begin_read)
        await self.finish()
        if data is None:
            raise Internal("finish stream: the server sent no response")
        return self._coding.decode(data)
