# SPDX-License-Identifier: MIT
"""A blocking channel with the interface of asyncio's, so that each case is written once and runs with both."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Generator, Iterator
from typing import Any, TypeVar

import trunkline

Result = TypeVar("Result")


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Runs a coroutine that awaits only these wrappers. They block, so the coroutine never suspends."""
    try:
        coroutine.send(None)
    except StopIteration as stop:
        return stop.value  # type: ignore[no-any-return]
    coroutine.close()
    raise RuntimeError("it waits for an event loop")


def _as_coroutine(function: Callable[..., Any]) -> Callable[..., Coroutine[Any, Any, Any]]:
    async def call(*arguments: Any, **options: Any) -> Any:
        return function(*arguments, **options)

    return call


class BlockingFuture(Awaitable[Any]):
    def __init__(self, future: trunkline.CallFuture[Any]) -> None:
        self._future = future

    def __await__(self) -> Generator[Any, None, Any]:
        return self._future.result()
        yield  # makes it a generator

    def cancel(self) -> bool:
        return self._future.cancel()


class BlockingStream:
    def __init__(self, stream: trunkline.ClientStream[Any, Any]) -> None:
        self._stream = stream
        for name in ("read", "write", "close_writes", "finish"):
            setattr(self, name, _as_coroutine(getattr(stream, name)))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    async def __aenter__(self) -> BlockingStream:
        self._stream.__enter__()
        return self

    async def __aexit__(self, *error: Any) -> None:
        self._stream.__exit__(*error)

    async def __aiter__(self) -> AsyncIterator[Any]:
        for message in self._stream:
            yield message


async def _each(messages: Iterator[Any]) -> AsyncIterator[Any]:
    for message in messages:
        yield message


class BlockingChannel:
    def __init__(self, channel: trunkline.Channel) -> None:
        self._channel = channel
        for name in ("call", "call_oneway", "client_stream", "wait_for_ready", "close"):
            setattr(self, name, _as_coroutine(getattr(channel, name)))

    def submit(self, *arguments: Any, **options: Any) -> BlockingFuture:
        return BlockingFuture(self._channel.submit(*arguments, **options))

    def map(self, *arguments: Any, **options: Any) -> AsyncIterator[Any]:
        return _each(self._channel.map(*arguments, **options))

    def stream(self, *arguments: Any, **options: Any) -> BlockingStream:
        return BlockingStream(self._channel.stream(*arguments, **options))

    def server_stream(self, *arguments: Any, **options: Any) -> BlockingStream:
        return BlockingStream(self._channel.server_stream(*arguments, **options))
