# SPDX-License-Identifier: MIT
"""Answer: what a fake does with one call; and how its parts are found out."""

from __future__ import annotations

import asyncio
import enum
import inspect
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

from .._metadata import MetadataLike, encode_metadata
from ..aio._loop import in_a_thread

#: Stands for what is not given, where None may be.
NOTHING: Any = object()


class Fault(enum.Enum):
    """What goes wrong with a call without a word from its server."""

    #: Nothing more comes: the call ends with its caller's deadline, or with the fake.
    STALL = "stall"
    #: The connection is dropped, and with it all calls on it: Unavailable, which may have run. What was said before
    #: arrives. Further calls find a new connection.
    DISCONNECT = "disconnect"


class Pause:
    """So many seconds until the next part."""

    def __init__(self, seconds: float) -> None:
        if not seconds >= 0:
            raise ValueError(f"pause: {seconds} is not a number of seconds, 0 or more")
        self.seconds = seconds

    def __repr__(self) -> str:
        return f"Pause({self.seconds})"


class Answer:
    """What becomes of one call: its parts, one after the other.

    A part is a message, an exception that ends the call, a ``Fault``, a ``Pause``, or a function of the request that
    returns one of these. Streams of responses take any number of messages, and functions that are generators of parts;
    all others have one message. With streams of requests a function gets an iterator of them, an async one an async
    iterator. Functions run on threads of their own, async ones on the event loop that serves the fake.

    ``expects``: what the request has to be equal to (of a stream: a list), else the call fails and so does the fake's
    ``check``; asserts in functions count likewise. Metadata is sent before the first message, and with the status.
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
    def of(cls, answer: Any) -> Answer:
        """An answer that is given as its only part, or whole."""
        return answer if isinstance(answer, Answer) else cls(answer)

    def __repr__(self) -> str:
        expected = [] if self.expects is NOTHING else [f"expects={self.expects!r}"]
        return f"Answer({', '.join([*map(repr, self.parts), *expected])})"


class _BlockingIterator:
    """What comes on an event loop, for a thread."""

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
    return await result if inspect.isawaitable(result) else result  # as of a lambda or a partial


async def _items_of(result: Any) -> AsyncIterator[Any]:
    if hasattr(result, "__anext__"):
        async for item in result:
            yield item
    else:
        while (item := await in_a_thread(next, result, NOTHING)) is not NOTHING:
            yield item


async def each_part(answer: Answer, argument: Any, streams: bool) -> AsyncIterator[Any]:
    """The answer itself and those that functions return, each followed by its messages, exceptions, faults and pauses;
    ``streams``: iterators that functions return are streams of these."""
    yield answer
    for part in answer.parts:
        if isinstance(part, type) and issubclass(part, BaseException):
            yield part()
            continue
        if not callable(part):
            yield part
            continue
        result = await _result_of(part, argument)
        if isinstance(result, Answer):
            async for one in each_part(result, argument, streams):
                yield one
        elif streams and (hasattr(result, "__next__") or hasattr(result, "__anext__")):
            async for one in _items_of(result):
                yield one
        else:
            yield result
