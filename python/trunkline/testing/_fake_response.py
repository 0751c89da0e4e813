# SPDX-License-Identifier: MIT
"""FakeResponse: how a fake responds to one call; Fault, Pause: special parts of it."""

from __future__ import annotations

import asyncio
import enum
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from .._metadata import MetadataLike, encode_metadata
from ..aio._loop_inbox import in_a_thread

#: Stands for an argument that is not given, where None may be one.
NOTHING: Any = object()


class Fault(enum.Enum):
    """A failure of a call that its server does not report."""

    #: No further part follows: the call ends at its deadline, or with the fake.
    STALL = "stall"
    #: The connection is dropped, and all calls on it fail with Unavailable and ``may_have_run``. Earlier parts arrive.
    #: Further calls use a new connection.
    DISCONNECT = "disconnect"


class Pause:
    """A delay of ``seconds`` before the next part."""

    def __init__(self, seconds: float) -> None:
        if not seconds >= 0:
            raise ValueError(f"pause: {seconds} is not a number of seconds, 0 or more")
        self.seconds = seconds

    def __repr__(self) -> str:
        return f"Pause({self.seconds})"


class FakeResponse:
    """The response to one call, as parts that are played one after the other.

    A part is a message, an exception that ends the call, a ``Fault``, a ``Pause``, or a function of the request that
    returns one of these. For a stream of responses there may be any number of messages, and functions may be generators
    of parts; otherwise there is exactly one message. For a stream of requests a function takes an iterator of them, and
    an async function an async iterator. Functions run on threads of their own, async functions on the event loop of the
    fake.

    ``expects``: the expected request, for a stream the list of requests. If it differs, the call fails, and so does the
    fake's ``check``; the same holds for an assert in a function. ``leading_metadata`` is sent before the first message,
    ``trailing_metadata`` with the status.
    """

    def __init__(
        self,
        *parts: Any,
        expects: Any = NOTHING,
        leading_metadata: MetadataLike = None,
        trailing_metadata: MetadataLike = None,
    ) -> None:
        self.parts = parts
        self.expects = expects
        self.leading_metadata = encode_metadata(leading_metadata) or []
        self.trailing_metadata = encode_metadata(trailing_metadata) or []

    @classmethod
    def of(cls, response: Any) -> FakeResponse:
        """Returns ``response`` itself, or one with it as the only part."""
        return response if isinstance(response, FakeResponse) else cls(response)

    def __repr__(self) -> str:
        expected = [] if self.expects is NOTHING else [f"expects={self.expects!r}"]
        return f"FakeResponse({', '.join([*map(repr, self.parts), *expected])})"


class _BlockingIterator:
    """Iterates on a thread over an async iterator of an event loop."""

    def __init__(self, source: AsyncIterator[Any]) -> None:
        self._source = source
        self._loop = asyncio.get_running_loop()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        async def get() -> Any:
            return await anext(self._source, NOTHING)

        item = asyncio.run_coroutine_threadsafe(get(), self._loop).result()
        if item is NOTHING:
            raise StopIteration
        return item


async def _result_of(function: Callable[[Any], Any], argument: Any) -> Any:
    target = function if inspect.isroutine(function) else getattr(function, "__call__", function)
    if inspect.iscoroutinefunction(target):
        return await function(argument)
    if inspect.isasyncgenfunction(target):
        return function(argument)
    if hasattr(argument, "__anext__"):
        argument = _BlockingIterator(argument)
    result = await in_a_thread(function, argument)
    return await result if inspect.isawaitable(result) else result  # a lambda or partial may return a coroutine


async def _items_of(result: Any) -> AsyncIterator[Any]:
    if hasattr(result, "__anext__"):
        async for item in result:
            yield item
    else:
        while (item := await in_a_thread(next, result, NOTHING)) is not NOTHING:
            yield item


async def each_part(response: FakeResponse, argument: Any, streams: bool) -> AsyncIterator[Any]:
    """Yields the response, and each response that a function returns, followed by its messages, exceptions, faults and
    pauses. Functions get ``argument``. With ``streams``, iterators that functions return are iterated over."""
    yield response
    for part in response.parts:
        if isinstance(part, type) and issubclass(part, BaseException):
            yield part()
            continue
        if not callable(part):
            yield part
            continue
        result = await _result_of(part, argument)
        if isinstance(result, FakeResponse):
            async for one in each_part(result, argument, streams):
                yield one
        elif streams and (hasattr(result, "__next__") or hasattr(result, "__anext__")):
            async for one in _items_of(result):
                yield one
        else:
            yield result
