# SPDX-License-Identifier: MIT
"""Many calls of one method under way at once, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable
from typing import Any, NamedTuple, Union

from .. import _core
from .._messages import Decode

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
        outcome = await under_way[0].outcome(return_exceptions)
        under_way.popleft()
        return outcome

    try:
        if isinstance(requests, AsyncIterable):
            pump = _Pump(requests, window)

            def add(request: Any) -> None:
                under_way.append(one := begin(request))
                one.future.add_done_callback(pump.notice)

            async with pump.running(add):
                while await pump.until(lambda: bool(under_way) and under_way[0].future.done()):
                    outcome = await first()
                    pump.leave_room()
                    yield outcome
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
    indices = itertools.count()

    def add(request: Any) -> asyncio.Future[Any]:
        index = next(indices)
        under_way[index] = one = begin(request)
        one.future.add_done_callback(lambda _: ended.put_nowait(index))
        return one.future

    async def next_one() -> tuple[int, Any]:
        index = await ended.get()
        outcome = await under_way[index].outcome(return_exceptions)
        del under_way[index]
        return index, outcome

    try:
        if isinstance(requests, AsyncIterable):
            pump = _Pump(requests, window)

            def add_noticed(request: Any) -> None:
                add(request).add_done_callback(pump.notice)

            async with pump.running(add_noticed):
                while await pump.until(lambda: not ended.empty()):
                    outcome = await next_one()
                    pump.leave_room()
                    yield outcome
        else:
            for request in requests:
                add(request)
                while under_way and (len(under_way) >= window or not ended.empty()):
                    yield await next_one()
        while under_way:
            yield await next_one()
    finally:
        for one in under_way.values():
            one.give_up()


class _Pump:
    """Takes requests from an async iterable in a task of its own, up to ``window`` ahead, so that answers are told while it
    waits, perhaps for one of them."""

    def __init__(self, requests: AsyncIterable[Any], window: int) -> None:
        self._requests = requests
        self._room = asyncio.Semaphore(window)
        self._changed = asyncio.Event()
        self._task: asyncio.Future[None] | None = None

    @contextlib.asynccontextmanager
    async def running(self, add: Callable[[Any], None]) -> AsyncIterator[None]:
        self._task = task = asyncio.ensure_future(self._run(add))
        task.add_done_callback(self.notice)
        try:
            yield
        finally:
            task.cancel()
            await asyncio.wait([task])
            if not task.cancelled():
                task.exception()  # seen

    async def _run(self, add: Callable[[Any], None]) -> None:
        await self._room.acquire()
        async for request in self._requests:
            add(request)
            await self._room.acquire()

    def notice(self, _: Any) -> None:
        """Something has ended."""
        self._changed.set()

    def leave_room(self) -> None:
        self._room.release()

    async def until(self, is_ready: Callable[[], bool]) -> bool:
        """False once there are no more requests; raises what they raise."""
        assert self._task is not None
        while True:
            if self._task.done():
                self._task.result()
                return False
            if is_ready():
                return True
            self._changed.clear()
            await self._changed.wait()
