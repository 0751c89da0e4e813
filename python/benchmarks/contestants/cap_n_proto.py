# SPDX-License-Identifier: MIT
"""pycapnp, which supports asyncio only."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import capnp

from contestants.load import Load, check, wait_for_end_of_input

capnp.remove_import_hook()
schema: Any = capnp.load(str(Path(__file__).with_name("echo.capnp")))


class Echo(schema.Echo.Server):  # type: ignore[misc]
    async def say(self, data: bytes, **_: Any) -> bytes:
        return data


async def respond(stream: Any) -> None:
    await capnp.TwoPartyServer(stream, bootstrap=Echo()).on_disconnect()


def serve() -> None:
    async def main() -> None:
        server = await capnp.AsyncIoStream.create_server(respond, "127.0.0.1", 0)
        async with server:
            print(server.sockets[0].getsockname()[1], flush=True)
            await wait_for_end_of_input()

    asyncio.run(capnp.run(main()))


def call(load: Load) -> int:
    payload = load.payload
    going = load.going()

    async def caller(echo: Any) -> int:
        count = 0
        while going():
            check((await echo.say(payload)).data == payload)
            count += 1
        return count

    async def main() -> int:
        stream = await capnp.AsyncIoStream.create_connection("127.0.0.1", int(load.target))
        echo = capnp.TwoPartyClient(stream).bootstrap().cast_as(schema.Echo)
        return sum(await asyncio.gather(*(caller(echo) for _ in range(load.outstanding))))

    return int(asyncio.run(capnp.run(main())))
