# SPDX-License-Identifier: MIT
"""RequestSource: the requests of a call, one after the other, from either kind of iterable."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Iterable, Iterator
from typing import Any

from .._calls.requests import close_requests, log_closing


class RequestSource:
    """The iterator over an iterable or async iterable. One task uses it, from the first request to ``close``."""

    __slots__ = ("_async", "_plain")

    def __init__(self, requests: Iterable[Any] | AsyncIterable[Any]) -> None:
        self._async: AsyncIterator[Any] | None = None
        self._plain: Iterator[Any] | None = None
        if isinstance(requests, AsyncIterable):
            self._async = aiter(requests)
        else:
            self._plain = iter(requests)

    def __aiter__(self) -> RequestSource:
        return self

    async def __anext__(self) -> Any:
        if self._plain is None:
            assert self._async is not None
            return await anext(self._async)
        try:
            return next(self._plain)
        except StopIteration:
            raise StopAsyncIteration from None

    async def close(self) -> None:
        """Closes the iterator if it is a generator, and drops it. What closing raises is logged."""
        plain, self._plain = self._plain, None
        generator, self._async = self._async, None
        close_requests(plain)
        await close_async_requests(generator)


async def close_async_requests(iterator: Any) -> None:
    """Does what ``close_requests`` does, for an asynchronous generator. Call it in the task that iterates."""
    if not isinstance(iterator, AsyncGenerator):
        return
    try:
        await iterator.aclose()
    except (asyncio.CancelledError, GeneratorExit, KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        log_closing(error)
