# SPDX-License-Identifier: MIT
"""Many calls of one method under way at once, for asyncio."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Callable, Iterable
from typing import Any, NamedTuple, Union

from .. import _core
from .._messages import Decode
from ._loop import each

Requests = Union[Iterable[Any], AsyncIterable[Any]]


class CallUnderWay(NamedTuple):
    #: None if the future is a task that cancels it itself.
    call: _core.ClientCall | None
    future: asyncio.Future[Any]
    decode: Decode

    async def outcome(self, return_exceptions: bool) -> Any:
        try:
            return self.decode(await self.future)
        except Exception as error:
            if not return_exceptions:
                raise
            return error

    def give_up(self) -> None:
        if self.call is not None:
            self.call.cancel()  # also if its future was cancelled with the task that awaited it
        if not self.future.done():
            self.future.cancel()
        elif not self.future.cancelled():
            self.future.exception()  # seen


Begin = Callable[[Any], CallUnderWay]


async def map_calls(
    begin: Begin, requests: Requests, window: int, return_exceptions: bool
) -> AsyncGenerator[Any, None]:
    """The responses in order."""
    under_way: deque[CallUnderWay] = deque()

    async def first() -> Any:
        # Until it has ended it is among those to be given up.
        _, future, decode = under_way[0]
        try:
            outcome = decode(await future)
        except Exception as error:
            if not return_exceptions:
                raise
            outcome = error
        under_way.popleft()
        return outcome

    try:
        if isinstance(requests, AsyncIterable):
            async for request in requests:
                under_way.append(begin(request))
                while under_way and (len(under_way) >= window or under_way[0].future.done()):
                    yield await first()
        else:
            for request in requests:
                under_way.append(begin(request))
                while under_way and (len(under_way) >= window or under_way[0].future.done()):
                    yield await first()
        while under_way:
            yield await first()
    finally:
        for one in under_way:
            one.give_up()


async def calls_as_completed(
    begin: Begin, requests: Requests, window: int, return_exceptions: bool
) -> AsyncGenerator[tuple[int, Any], None]:
    """(index of the request, response) in the order of their ends."""
    under_way: dict[int, CallUnderWay] = {}
    ended: asyncio.Queue[int] = asyncio.Queue()

    async def next_one() -> tuple[int, Any]:
        index = await ended.get()
        outcome = await under_way[index].outcome(return_exceptions)
        del under_way[index]
        return index, outcome

    index = 0
    try:
        async for request in each(requests):
            under_way[index] = one = begin(request)
            one.future.add_done_callback(lambda _, index=index: ended.put_nowait(index))  # type: ignore[misc]
            index += 1
            while under_way and (len(under_way) >= window or not ended.empty()):
                yield await next_one()
        while under_way:
            yield await next_one()
    finally:
        for one in under_way.values():
            one.give_up()
