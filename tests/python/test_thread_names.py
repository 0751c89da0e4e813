# SPDX-License-Identifier: MIT
"""The names of the package's threads in debuggers and in tools such as top."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import trunkline
from trunkline import aio


def name_in_system() -> str:
    return Path(f"/proc/self/task/{threading.get_native_id()}/comm").read_text().strip()


def names_in_system() -> set[str]:
    return {(task / "comm").read_text().strip() for task in Path("/proc/self/task").iterdir()}


def test_threads_of_a_server_and_of_a_channel_say_what_they_do() -> None:
    server = trunkline.Server(threads=1)
    server.add("name", name_in_system)
    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        assert channel.call("name") == "trunk-worker-0"
        assert channel.submit("name").result(20) == "trunk-worker-0"
        assert names_in_system() >= {"trunk-keeper", "trunk-channel"}


def test_threads_beside_an_event_loop_do_too() -> None:
    server = aio.Server(threads=1)
    server.add("name", name_in_system)

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            assert await channel.call("name") == "trunk-worker-0"

    asyncio.run(main())
