# SPDX-License-Identifier: MIT
"""MappedCalls: the responses of many calls in the order of their requests, for asyncio."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .._errors import RpcError
from ._call_in_flight import CallInFlight
from ._many_calls import Begin, ManyCalls
from ._request_task import Requests


class MappedCalls(ManyCalls):
    """The responses in the order of the requests."""

    def __init__(self, begin: Begin, requests: Requests, window: int, return_exceptions: bool) -> None:
        super().__init__(begin, requests, window, return_exceptions)
        self._in_flight: deque[CallInFlight] = deque()

    def _calls(self) -> Iterable[CallInFlight]:
        return self._in_flight

    def _forget_calls(self) -> None:
        self._in_flight.clear()

    def _adder(self) -> Callable[[Any], asyncio.Future[Any]]:
        begin, in_flight = self._begin, self._in_flight

        def add(request: Any) -> asyncio.Future[Any]:
            in_flight.append(one := begin(request))
            return one.future

        return add

    def _begin_calls(self, iterator: Iterator[Any]) -> None:
        """Begins calls until the first one has ended, or the window is full."""
        begin, in_flight, window = self._begin, self._in_flight, self._window
        if in_flight and (len(in_flight) >= window or in_flight[0].future.done()):
            return
        for request in iterator:
            in_flight.append(begin(request))
            if len(in_flight) >= window or in_flight[0].future.done():
                return
        self._iterator = None

    async def __anext__(self) -> Any:
        if self._loop is None or self._is_reading:
            self._enter()
        self._is_reading = True
        in_flight = self._in_flight
        one: CallInFlight | None = None
        is_waiting = is_of_call = False
        try:
            feeder = self._feeder
            if self._iterator is not None:
                self._begin_calls(self._iterator)
            elif feeder is not None:
                is_waiting = True
                await feeder.until(lambda: bool(in_flight) and in_flight[0].future.done())
                is_waiting = False
                feeder.raise_failure()
            if in_flight:
                one = in_flight[0]
                if not one.future.done():
                    is_waiting = True
                    await one.until_done()
                    is_waiting = False
                # It stays in the queue until it has ended, so that it is cancelled with the others.
                in_flight.popleft()
                if feeder is not None:
                    feeder.add_room()
                is_of_call = True
                return one.outcome(self._return_exceptions)
            self._is_closed = True
            self._stop()
        except BaseException as error:
            if not is_waiting:  # otherwise the read is given up
                await self._fail(is_of_call and isinstance(error, RpcError))
            raise
        finally:
            self._is_reading = False
            del self, one  # the traceback of an error refers to this frame
        raise StopAsyncIteration
