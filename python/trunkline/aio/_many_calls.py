# SPDX-License-Identifier: MIT
"""ManyCalls: the base of iterators over the responses of many concurrent calls of one method, for asyncio."""

from __future__ import annotations

import abc
import asyncio
from collections.abc import AsyncIterable, Callable, Iterable, Iterator
from typing import Any

from .._calls.requests import close_requests
from .._errors import Cancelled
from ._call_in_flight import CallInFlight
from ._left_loop import check_left_loop
from ._request_feeder import RequestFeeder
from ._request_task import Requests
from ._responses import Responses

Begin = Callable[[Any], CallInFlight]


class ManyCalls(Responses):
    """Calls with requests of either kind of iterable, at most ``window`` of them in progress.

    An exception that it raises ends it, and cancels the calls in progress. After one that is not the error of a call,
    such as one of the requests, each further read raises Cancelled. A read that is given up does not end it.
    """

    def __init__(self, begin: Begin, requests: Requests, window: int, return_exceptions: bool) -> None:
        """``begin`` begins a call with a request. The first read begins to iterate over the requests."""
        self._begin = begin
        self._requests: Requests = requests
        self._window = window
        self._return_exceptions = return_exceptions
        self._is_reading = False
        #: True if another exception than the error of a call has ended it.
        self._is_cut_off = False
        #: True after the last response, or once it was closed.
        self._is_closed = False
        #: The source of the requests, until there are no more: an iterator, or a feeder for an async iterable.
        self._iterator: Iterator[Any] | None = None
        self._feeder: RequestFeeder | None = None

    @abc.abstractmethod
    def _calls(self) -> Iterable[CallInFlight]:
        """Returns the calls in progress."""

    @abc.abstractmethod
    def _forget_calls(self) -> None:
        """Empties the calls in progress, which have been cancelled."""

    @abc.abstractmethod
    def _adder(self) -> Callable[[Any], asyncio.Future[Any]]:
        """Returns a function that begins a call and returns its future. It holds no reference to this object."""

    def _enter(self) -> None:
        """Runs before the first read, and before one that gets no response."""
        if self._is_reading:
            raise RuntimeError("anext(): it is already running")
        check_left_loop()
        if self._is_cut_off:
            raise Cancelled("the calls in progress were cancelled when an exception was raised here")
        if self._is_closed:
            raise StopAsyncIteration
        requests, self._requests = self._requests, ()
        try:
            if isinstance(requests, AsyncIterable):
                self._feeder = RequestFeeder(requests, self._window, self._adder())
            else:
                self._iterator = iter(requests)
        except BaseException:
            self._is_cut_off = True
            raise
        self._loop = asyncio.get_running_loop()

    async def _fail(self, is_of_call: bool) -> None:
        """Runs when an exception ends it. ``is_of_call``: it is the error with which a call has ended. The class does
        not tell that, since the requests may raise what a call of their own has raised."""
        self._is_closed = True
        self._is_cut_off = True
        await self._stop_and_wait()
        # If this wait was cancelled, CancelledError has taken the place of the error of the call.
        self._is_cut_off = not is_of_call

    async def aclose(self) -> None:
        if self._is_reading:
            raise RuntimeError("aclose(): it is already running")
        self._is_closed = True
        await self._stop_and_wait()

    async def _stop_and_wait(self) -> None:
        feeder = self._feeder
        self._stop()
        if feeder is not None:
            await feeder.end()

    def _stop(self) -> None:
        self._loop = None
        self._requests = ()
        for one in self._calls():
            one.cancel()
        self._forget_calls()
        iterator, self._iterator = self._iterator, None
        close_requests(iterator)
        feeder, self._feeder = self._feeder, None
        if feeder is not None:
            feeder.stop()

    def _cancel(self) -> None:
        for one in tuple(self._calls()):
            one.cancel_call()
