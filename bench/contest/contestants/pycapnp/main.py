# SPDX-License-Identifier: MIT
"""pycapnp, which has asyncio alone, on uvloop: a task for each call under way."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import capnp
import uvloop
from driver.options import TAIL_DELAY_US, Options, input_ended, parse, say_listening
from driver.pace import Pace, keep_calling_aio

capnp.remove_import_hook()
schema: Any = capnp.load(str(Path(__file__).with_name("echo.capnp")))


class Echo(schema.Echo.Server):  # type: ignore[misc]
    async def say(self, data: bytes, delayUs: int, **_: Any) -> bytes:  # noqa: N803 - the schema's name
        if delayUs:
            await asyncio.sleep(delayUs / 1e6)
        return data


async def answer(stream: Any) -> None:
    await capnp.TwoPartyServer(stream, bootstrap=Echo()).on_disconnect()


async def serve() -> None:
    server = await capnp.AsyncIoStream.create_server(answer, "127.0.0.1", 0)
    async with server:
        say_listening(f"127.0.0.1:{server.sockets[0].getsockname()[1]}")
        await input_ended()


async def call(options: Options) -> None:
    payload = options.payload
    pace = Pace(options)
    host, _, port = options.target.rpartition(":")
    clients = []
    for _ in range(options.connections):
        stream = await capnp.AsyncIoStream.create_connection(host, int(port))
        clients.append(capnp.TwoPartyClient(stream))
    # A server on uvloop crashes if a message comes before it reads: pycapnp then stops uvloop within its callback.
    await asyncio.sleep(0.2)
    echoes = [client.bootstrap().cast_as(schema.Echo) for client in clients]

    async def caller(echo: Any) -> None:
        async def ask() -> None:
            delay = TAIL_DELAY_US if pace.is_delayed() else 0
            pace.check((await echo.say(data=payload, delayUs=delay)).data, payload)

        await keep_calling_aio(pace, ask)

    for echo in echoes:
        pace.check((await echo.say(data=payload, delayUs=0)).data, payload)
    pace.begin()
    await asyncio.gather(*(caller(echoes[index % len(echoes)]) for index in range(options.outstanding)))
    pace.print()


if __name__ == "__main__":
    chosen = parse()
    uvloop.run(capnp.run(serve() if chosen.serves else call(chosen)))
