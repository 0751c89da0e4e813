# SPDX-License-Identifier: MIT
"""Many concurrent calls of one method, for asyncio: ``map`` and ``as_completed``."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable, Iterable
from typing import Any, NamedTuple, Union

from .. import _core
from .._messages.builtin_codecs import Decode

Requests = Union[Iterable[Any], AsyncIterable[Any]]


class CallInFlight(NamedTuple):
    #: The call of the core; None if the future is a task, whose cancellation cancels the call.
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

    def cancel(self) -> None:
        if self.call is not None:
            self.call.cancel()  # even if the future was cancelled with the task that awaited it
        if not self.future.done():
            self.future.cancel()
        elif not self.future.cancelled():
            self.future.exception()  # marks it as retrieved


Begin = Callable[[Any], CallInFlight]


async def map_calls(
    begin: Begin, requests: Requests, window: int, return_exceptions: bool
) -> AsyncGenerator[Any, None]:
    """Yields the responses in the order of the requests. At most ``window`` calls are in progress."""
    in_flight: deque[CallInFlight] = deque()

    async def first() -> Any:
        # It stays in the queue until it has ended, so that it is cancelled with the others.
        outcome = await in_flight[0].outcome(return_exceptions)
        in_flight.popleft()
        return outcome

    try:
        if isinstance(requests, AsyncIterable):
            feeder = _RequestFeeder(requests, window)

            def add(request: Any) -> None:
                in_flight.append(one := begin(request))
                one.future.add_done_callback(feeder.notice)

            async with feeder.running(add):
                while await feeder.until(lambda: bool(in_flight) and in_flight[0].future.done()):
                    outcome = await first()
                    feeder.add_room()
                    yield outcome
        else:
            for request in requests:
                in_flight.append(begin(request))
                while in_flight and (len(in_flight) >= window or in_flight[0].future.done()):
                    yield await first()
        while in_flight:
            yield await first()
    finally:
        for one in in_flight:
            one.cancel()


async def calls_as_completed(
    begin: Begin, requests: Requests, window: int, return_exceptions: bool
) -> AsyncGenerator[tuple[int, Any], None]:
    """Yields (index of the request, response) in the order in which the calls end."""
    in_flight: dict[int, CallInFlight] = {}
    ended: asyncio.Queue[int] = asyncio.Queue()
    indices = itertools.count()

    def add(request: Any) -> asyncio.Future[Any]:
        index = next(indices)
        in_flight[index] = one = begin(request)
        one.future.add_done_callback(lambda _: ended.put_nowait(index))
        return one.future

    async def next_one() -> tuple[int, Any]:
        index = await ended.get()
        outcome = await in_flight[index].outcome(return_exceptions)
        del in_flight[index]
        return index, outcome

    try:
        if isinstance(requests, AsyncIterable):
            feeder = _RequestFeeder(requests, window)

            def add_noticed(request: Any) -> None:
                add(request).add_done_callback(feeder.notice)

            async with feeder.running(add_noticed):
                while await feeder.until(lambda: not ended.empty()):
                    outcome = await next_one()
                    feeder.add_room()
                    yield outcome
        else:
            for request in requests:
                add(request)
                while in_flight and (len(in_flight) >= window or not ended.empty()):
                    yield await next_one()
        while in_flight:
            yield await next_one()
    finally:
        for one in in_flight.values():
            one.cancel()


class _RequestFeeder:
    """Takes requests from an async iterable in a task of its own, up to ``window`` of them ahead, so that responses are
    yielded while the iterable waits, perhaps for one of them."""

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
                task.exception()  # marks it as retrieved

    async def _run(self, add: Callable[[Any], None]) -> None:
        await self._room.acquire()
        async for request in self._requests:
            add(request)
            await self._room.acquire()

    def notice(self, _: Any) -> None:
        """Wakes ``until``: a call or the task has ended."""
        self._changed.set()

    def add_room(self) -> None:
        self._room.release()

    async def until(self, is_ready: Callable[[], bool]) -> bool:
        """Waits until ``is_ready()``. Returns False once there are no more requests; raises what they raise."""
        assert self._task is not None
        while True:
            if self._task.done():
                self._task.result()
                return False
            if is_ready():
                return True
            self._changed.clear()
            await self._changed.wait()
