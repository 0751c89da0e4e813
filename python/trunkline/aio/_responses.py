# SPDX-License-Identifier: MIT
"""Responses: the base of iterators over the responses of a call, or of many calls, for asyncio."""

from __future__ import annotations

import abc
import asyncio
import contextlib
from collections.abc import AsyncGenerator, Coroutine
from typing import Any

from .._calls.thrown import raise_thrown
from ._loop_inbox import running_loop


class Responses(AsyncGenerator[Any, None]):
    """An iterator with the functions of an asynchronous generator. A read that is given up does not end it: the next
    one returns the response.

    Closing it, or dropping the last reference, gives up what it reads from. A read in progress keeps a reference; the
    traceback of a read that was given up keeps none.
    """

    #: The loop on which it is read, from the first read to the end of what it reads from.
    _loop: asyncio.AbstractEventLoop | None = None

    @abc.abstractmethod
    async def __anext__(self) -> Any:
        """Returns the next response."""

    @abc.abstractmethod
    async def aclose(self) -> None:
        """Gives up what it reads from, and waits a little for the requests to be closed."""

    @abc.abstractmethod
    def _cancel(self) -> None:
        """Cancels the calls in progress. Any thread may call it."""

    @abc.abstractmethod
    def _stop(self) -> None:
        """Gives up what it reads from, on the loop's thread, and waits for nothing."""

    def asend(self, value: None) -> Coroutine[Any, Any, Any]:
        """Returns the next response, as an asynchronous generator does."""
        return self.__anext__()

    async def athrow(self, kind: Any, value: Any = None, traceback: Any = None) -> Any:
        """Closes it, and raises the exception."""
        await self.aclose()
        raise_thrown(kind, value, traceback)

    def __del__(self) -> None:
        loop = self._loop
        if loop is None:
            return
        self._cancel()
        if running_loop() is loop:
            return self._stop()
        with contextlib.suppress(RuntimeError):  # the loop is closed
            loop.call_soon_threadsafe(self._stop)
