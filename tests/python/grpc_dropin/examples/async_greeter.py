# SPDX-License-Identifier: MIT
"""asyncio on both sides, and a server that ends its calls before it stops."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc

from . import greeter


class Greeter(greeter.Greeter):
    """SayHello("stop") stops the server, with time for the calls that are under way."""

    def __init__(self) -> None:
        self.server: Any = None
        self._stopping: Any = None

    async def SayHello(self, request: Any, context: Any) -> Any:
        if request.name == "stop":
            self._stopping = asyncio.ensure_future(self.server.stop(greeter.SOON))
        return greeter.reply(f"Hello, {request.name}!")

    async def SayHellos(self, request_iterator: Any, context: Any) -> AsyncIterator[Any]:
        async for request in request_iterator:
            yield greeter.reply(f"Hello, {request.name}!")


async def serve() -> tuple[Any, str]:
    servicer = Greeter()
    servicer.server, target = await greeter.serve_async(servicer)
    return servicer.server, target


async def is_refused(target: str) -> bool:
    """Whether the server comes to refuse new connections."""
    for _ in range(1000):
        async with grpc.aio.insecure_channel(target) as channel:
            try:
                await greeter.stub(channel).SayHello(greeter.request("late"), timeout=greeter.SOON)
            except grpc.aio.AioRpcError as error:
                # A call that comes while the server stops may be late, or cancelled by grpcio.
                if error.code() not in (grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.CANCELLED):
                    return error.code() is grpc.StatusCode.UNAVAILABLE
    return False


async def talk(target: str) -> list[str]:
    async with grpc.aio.insecure_channel(target) as channel:
        stub = greeter.stub(channel)
        stream = stub.SayHellos(timeout=greeter.SOON)
        await stream.write(greeter.request("first"))
        seen = [(await stream.read()).message]
        seen.append((await stub.SayHello(greeter.request("stop"))).message)
        seen.append(f"refused: {await is_refused(target)}")
        await stream.write(greeter.request("last"))
        seen.append((await stream.read()).message)
        await stream.done_writing()
        seen.append((await stream.code()).name)
        return seen


def run(target: str) -> list[str]:
    return asyncio.run(talk(target))
