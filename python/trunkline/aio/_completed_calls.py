# SPDX-License-Identifier: MIT
"""CompletedCalls: the responses of many calls in the order in which they end, for asyncio."""

from __future__ import annotations

import asyncio
import itertools
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from .._errors import RpcError
from ._call_in_flight import CallInFlight
from ._many_calls import Begin, ManyCalls
from ._request_task import Requests


class CompletedCalls(ManyCalls):
    """Pairs (index of the request, response) in the order in which the calls end."""

    def __init__(self, begin: Begin, requests: Requests, window: int, return_exceptions: bool) -> None:
        super().__init__(begin, requests, window, return_exceptions)
        self._in_flight: dict[int, CallInFlight] = {}
        #: The calls that have ended, whose responses nobody has read.
        self._ended: deque[int] = deque()
        self._changed = asyncio.Event()
        self._add = self._adder()

    def _calls(self) -> Iterable[CallInFlight]:
        return self._in_flight.values()

    def _forget_calls(self) -> None:
        self._in_flight.clear()

    def _adder(self) -> Callable[[Any], asyncio.Future[Any]]:
        begin, in_flight, ended, changed = self._begin, self._in_flight, self._ended, self._changed
        indices = itertools.count()

        def add(request: Any) -> asyncio.Future[Any]:
            index = next(indices)

            def notice(_: Any) -> None:
                ended.append(index)
                changed.set()

            in_flight[index] = one = begin(request)
            one.future.add_done_callback(notice)
            return one.future

        return add

    def _begin_calls(self, iterator: Iterator[Any]) -> None:
        """Begins calls until one has ended, or the window is full."""
        add, in_flight, ended, window = self._add, self._in_flight, self._ended, self._window
        if ended or len(in_flight) >= window:
            return
        for request in iterator:
            add(request)
            if ended or len(in_flight) >= window:
                return
        self._iterator = None

    async def __anext__(self) -> Any:
        if self._loop is None or self._is_reading:
            self._enter()
        self._is_reading = True
        in_flight, ended = self._in_flight, self._ended
        one: CallInFlight | None = None
        is_waiting = is_of_call = False
        try:
            feeder = self._feeder
            if self._iterator is not None:
                self._begin_calls(self._iterator)
            elif feeder is not None:
                is_waiting = True
                await feeder.until(lambda: bool(ended))
                is_waiting = False
                feeder.raise_failure()
            if in_flight:
                is_waiting = True
                while not ended:
                    self._changed.clear()
                    await self._changed.wait()
                is_waiting = False
                index = ended.popleft()
                one = in_flight.pop(index)
                if feeder is not None:
                    feeder.add_room()
                is_of_call = True
                return index, one.outcome(self._return_exceptions)
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
