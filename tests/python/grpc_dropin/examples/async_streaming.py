# SPDX-License-Identifier: MIT
"""Streams of asyncio: iterated over, and read and written."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import grpc

from . import greeter


class Greeter(greeter.Greeter):
    async def SayHelloOften(self, request: Any, context: Any) -> None:
        for number in range(3):
            await context.write(greeter.reply(f"{request.name} {number}"))

    async def SayHellos(self, request_iterator: Any, context: Any) -> AsyncIterator[Any]:
        async for request in request_iterator:
            yield greeter.reply(request.name.upper())


async def serve() -> tuple[Any, str]:
    return await greeter.serve_async(Greeter())


async def names() -> AsyncIterator[Any]:
    for name in ("a", "b"):
        yield greeter.request(name)


async def talk(target: str) -> list[str]:
    async with grpc.aio.insecure_channel(target) as channel:
        stub = greeter.stub(channel)
        seen = [response.message async for response in stub.SayHelloOften(greeter.request("x"))]
        seen += [response.message async for response in stub.SayHellos(names())]
        reading = stub.SayHelloOften(greeter.request("y"))
        while (response := await reading.read()) is not grpc.aio.EOF:  # pyright: ignore[reportAttributeAccessIssue]
            seen.append(response.message)
        seen.append((await reading.code()).name)
        return seen


def run(target: str) -> list[str]:
    return asyncio.run(talk(target))
