# SPDX-License-Identifier: MIT
"""Nothing is left behind: objects after calls, descriptors after channels and servers."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
import time
from collections.abc import Callable, Iterator

import trunkline
from trunkline import aio


def server() -> trunkline.Server:
    server = trunkline.Server(threads=2)

    @server.method
    def echo(request: list[int]) -> list[int]:
        return request

    @server.method
    def fail(request: int) -> None:
        raise trunkline.NotFound("x" * 100)

    @server.method
    def count(request: int) -> Iterator[int]:
        yield from range(request)

    return server


def grown(use: Callable[[], None]) -> int:
    """How many more objects there are after many uses."""
    for _ in range(20):
        use()
    gc.collect()
    before = len(gc.get_objects())
    for _ in range(100):
        use()
    gc.collect()
    return len(gc.get_objects()) - before


def test_calls_leave_no_objects() -> None:
    payload = b"x" * 100_000

    with server().serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:

        def use() -> None:
            channel.call("echo", [1, 2, 3])
            list(channel.map("echo", [[i] for i in range(20)]))
            dict(channel.as_completed("echo", [[i] for i in range(20)]))
            channel.submit("echo", [1]).result(20)
            list(channel.server_stream("count", 3))
            try:
                channel.call("fail", 1)
            except trunkline.NotFound:
                pass
            try:
                channel.call("nothing", payload)
            except trunkline.Unimplemented:
                pass

        assert grown(use) < 50
        assert sys.getrefcount(payload) <= 3


def test_coroutines_leave_no_objects() -> None:
    host = aio.Server(threads=1)

    @host.method
    async def echo(request: list[int]) -> list[int]:
        return request

    async def use(channel: aio.Channel) -> None:
        await asyncio.gather(*(channel.call("echo", [i]) for i in range(20)))
        task = asyncio.ensure_future(channel.call("echo", [1]))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    async def main() -> int:
        async with host.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            for _ in range(20):
                await use(channel)
            gc.collect()
            before = len(gc.get_objects())
            for _ in range(100):
                await use(channel)
            # The server's end of cancelled calls goes when it hears of that.
            more = 50
            end = time.monotonic() + 10.0
            while more >= 50 and time.monotonic() < end:
                await asyncio.sleep(0.01)
                gc.collect()
                more = len(gc.get_objects()) - before
            return more

    assert asyncio.run(main()) < 50


def test_channels_and_servers_leave_no_descriptors() -> None:
    def use() -> None:
        with server().serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
            channel.call("echo", [1])

    use()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        use()

    assert len(os.listdir("/proc/self/fd")) <= before


def test_an_asyncio_channel_that_is_dropped_leaves_no_descriptor() -> None:
    async def main() -> None:
        with server().serve("tcp://127.0.0.1:0") as running:
            before = 0
            for number in range(6):
                channel = aio.Channel(running.endpoint)
                assert await channel.call("echo", [1]) == [1]
                del channel
                gc.collect()
                if number == 1:
                    before = len(os.listdir("/proc/self/fd"))
            # The server's ends close when it hears of it.
            for _ in range(1000):
                if len(os.listdir("/proc/self/fd")) <= before:
                    return
                await asyncio.sleep(0.01)
            raise AssertionError("descriptors are left")

    asyncio.run(main())


def test_objects_may_go_in_any_order() -> None:
    running = server().serve("tcp://127.0.0.1:0")
    channel = trunkline.Channel(running.endpoint)
    stream = channel.server_stream("count", 1000)
    mapping = channel.map("echo", [[1]] * 100)
    future = channel.submit("echo", [2])
    next(mapping)
    next(stream)

    del channel
    gc.collect()
    del mapping
    gc.collect()
    assert future.exception(20) is None or isinstance(future.exception(), trunkline.Cancelled)
    running.stop()
    del running
    gc.collect()
    del stream
    gc.collect()
