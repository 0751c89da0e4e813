# SPDX-License-Identifier: MIT
"""The conformance service as coroutines and async generators."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable
from typing import Any

import trunkline
from google.protobuf.wrappers_pb2 import StringValue
from trunkline import Context, aio

from .boards import AsyncioBoard
from .certificates import client_tls, server_tls
from .failures import MAX_MESSAGE_BYTES, echo_metadata, fail


async def nothing() -> None:
    pass


async def echo(request: bytes, context: Context) -> bytes:
    echo_metadata(context)
    return request


async def echo_value(request: Any) -> Any:
    return request


async def echo_text(request: StringValue) -> StringValue:
    return request


async def make(size: bytes) -> bytes:
    return b"x" * int(size)


async def compressions() -> Any:
    return None  # they are the core's


async def fail_late(request: Any, context: Context) -> AsyncIterator[Any]:
    echo_metadata(context)
    yield 1
    fail(request, context)


async def fail_now(request: Any, context: Context) -> None:
    echo_metadata(context)
    fail(request, context)


async def throw() -> None:
    raise ValueError("secret")


async def sum_up(numbers: AsyncIterator[int], limit: int) -> dict[str, int]:
    taken: list[int] = []
    while len(taken) < limit:
        try:
            taken.append(await anext(numbers))
        except StopAsyncIteration:
            break
    return {"count": len(taken), "sum": sum(taken)}


async def sum_all(numbers: AsyncIterator[int], context: Context) -> dict[str, int]:
    echo_metadata(context)
    return await sum_up(numbers, 1 << 20)


async def sum_two(numbers: AsyncIterator[int]) -> dict[str, int]:
    return await sum_up(numbers, 2)


async def refuse(messages: AsyncIterator[Any]) -> Any:
    await anext(messages)
    raise trunkline.FailedPrecondition("no more")


async def count_up(size: int, context: Context) -> AsyncIterator[int]:
    echo_metadata(context)
    for number in range(size):
        yield number


async def gather(messages: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    for message in [each async for each in messages]:
        yield message


async def time_left(context: Context) -> Any:
    return context.time_left()


async def nested(endpoint: str, context: Context) -> Any:
    own = context.time_left()
    async with aio.Channel(endpoint, **client_tls()) as channel:
        return [own, await channel.call("interop.Test/TimeLeft")]


async def send_signal(number: int) -> None:
    os.kill(os.getpid(), number)


class WaitingMethods:
    """Handlers that report events and wait."""

    def __init__(self) -> None:
        self._board = AsyncioBoard()

    async def chat(self, messages: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        echo_metadata(context)
        async for message in messages:
            if message.startswith(b"tell "):
                await self._board.tell(message[5:].decode())
            yield message
        yield b"goodbye"

    async def flood(self, name: bytes, context: Context) -> AsyncIterator[bytes]:
        await self._board.tell(f"{name.decode()} begun")
        try:
            while True:
                yield b"x" * (64 << 10)
        finally:
            if context.is_cancelled():
                await self._board.tell(f"{name.decode()} cancelled")

    async def hang(self, name: str, context: Context) -> None:
        await self._board.tell(f"{name} begun", context.time_left())
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            await self._board.tell(f"{name} cancelled")
            raise

    async def hang_stream(self, messages: AsyncIterator[bytes], context: Context) -> AsyncIterator[bytes]:
        name = context.metadata["name"]
        await self._board.tell(f"{name!s} begun", context.time_left())
        try:
            async for message in messages:
                yield message
        finally:
            if context.is_cancelled():
                await self._board.tell(f"{name!s} cancelled")

    async def hold(self, name: str) -> Any:
        await self._board.tell(f"{name} begun")
        return await self._board.wait_for(name)

    async def wait(self, name: str) -> Any:
        return await self._board.wait_for(name)

    async def tell(self, event: Any) -> None:
        await self._board.tell(event["name"], event["value"])


def make_server() -> aio.Server:
    waiting = WaitingMethods()
    server = aio.Server(max_message_bytes=MAX_MESSAGE_BYTES, **server_tls())
    methods: dict[str, Callable[..., Any]] = {
        "Nothing": nothing,
        "Echo": echo,
        "EchoValue": echo_value,
        "EchoText": echo_text,
        "Make": make,
        "Compressions": compressions,
        "Fail": fail_now,
        "FailLate": fail_late,
        "Throw": throw,
        "Sum": sum_all,
        "SumTwo": sum_two,
        "Refuse": refuse,
        "Range": count_up,
        "Chat": waiting.chat,
        "Gather": gather,
        "Flood": waiting.flood,
        "Hang": waiting.hang,
        "HangStream": waiting.hang_stream,
        "Hold": waiting.hold,
        "Wait": waiting.wait,
        "Tell": waiting.tell,
        "TimeLeft": time_left,
        "Nested": nested,
        "Signal": send_signal,
    }
    for name, handler in methods.items():
        server.add(f"interop.Test/{name}", handler)
    return server
