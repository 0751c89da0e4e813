# SPDX-License-Identifier: MIT
"""trunkline.aio: a task for each call under way."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

from driver.options import TAIL_DELAY_US, Options, input_ended, parse, run, say_listening
from driver.pace import Pace, keep_calling_aio
from driver.sums import Factors, Product
from google.protobuf.wrappers_pb2 import BytesValue

from trunkline import aio

METHOD = "contest.Contest/Echo"
MULTIPLY_METHOD = "contest.Contest/Multiply"
LATE_METHOD = "contest.Contest/LateEcho"


async def serve() -> None:
    server = aio.Server(threads=2)

    @server.method(METHOD)
    async def echo(request: BytesValue) -> BytesValue:
        return BytesValue(value=request.value)

    @server.method(LATE_METHOD)
    async def late_echo(request: BytesValue) -> BytesValue:
        await asyncio.sleep(TAIL_DELAY_US / 1e6)
        return BytesValue(value=request.value)

    @server.method(MULTIPLY_METHOD)
    async def multiply(request: Factors) -> Product:
        return Product(pro=request.a * request.b)

    async with server.serve("tcp://127.0.0.1:0") as running:
        say_listening(running.endpoint)
        await input_ended()


async def call(options: Options) -> None:
    payload = options.payload
    request = BytesValue(value=payload)
    pace = Pace(options)
    async with AsyncExitStack() as stack:
        channels = [await stack.enter_async_context(aio.Channel(options.target)) for _ in range(options.connections)]

        async def caller(channel: aio.Channel) -> None:
            async def ask() -> None:
                method = LATE_METHOD if pace.is_delayed() else METHOD
                pace.check((await channel.call(method, request, BytesValue)).value, payload)

            await keep_calling_aio(pace, ask)

        for channel in channels:
            pace.check((await channel.call(METHOD, request, BytesValue)).value, payload)
        pace.begin()
        await asyncio.gather(*(caller(channels[index % len(channels)]) for index in range(options.outstanding)))
    pace.print()


if __name__ == "__main__":
    chosen = parse()
    run(serve if chosen.serves else lambda: call(chosen), chosen)
