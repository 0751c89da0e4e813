# SPDX-License-Identifier: MIT
"""No leaks: objects after calls, descriptors after channels and servers."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import _core, aio

from .waiting import wait_until


def server(**options: Any) -> trunkline.Server:
    server = trunkline.Server(threads=2, **options)

    @server.method
    def echo(request: list[int]) -> list[int]:
        return request

    @server.method
    def fail(request: int) -> None:
        raise trunkline.NotFound("x" * 100)

    @server.method
    def count(request: int) -> Iterator[int]:
        yield from range(request)

    @server.method
    def total(requests: Iterator[int]) -> int:
        return sum(requests)

    @server.method
    def each(requests: Iterator[int]) -> Iterator[int]:
        yield from requests

    return server


def interceptor(call: trunkline.OutgoingCall | trunkline.IncomingCall) -> Iterator[None]:
    yield


#: Classes of the extension. The garbage collector does not track their instances, but each refers to its class.
TYPES = [kind for kind in vars(_core).values() if isinstance(kind, type)]


def instances() -> dict[str, int]:
    return {kind.__name__: sys.getrefcount(kind) for kind in TYPES}


class Left:
    """Counts how many objects exist in addition to those at its creation: objects of the garbage collector and
    instances of classes of the extension."""

    def __init__(self) -> None:
        gc.collect()
        self._instances = instances()
        self._objects = len(gc.get_objects())

    def check(self) -> None:
        gc.collect()
        objects = len(gc.get_objects()) - self._objects
        more = {name: count - self._instances[name] for name, count in instances().items()}
        assert objects < 50 and all(count < 10 for count in more.values()), (objects, more)


def use_often(use: Callable[[], None]) -> None:
    for _ in range(20):
        use()
    left = Left()
    for _ in range(100):
        use()
    left.check()


def test_instances_of_the_extension_are_counted() -> None:
    left = Left()
    kept = [_core.CallSettings(1.0, None, False, False, "", "") for _ in range(20)]

    with pytest.raises(AssertionError, match="CallSettings': 20"):
        left.check()

    del kept
    left.check()


@pytest.mark.parametrize("options", [{}, {"interceptors": [interceptor]}])
def test_calls_leave_no_objects(options: Any) -> None:
    payload = b"x" * 100_000

    with (
        server(**options).serve("tcp://127.0.0.1:0") as running,
        trunkline.Channel(running.endpoint, **options) as channel,
    ):

        def use() -> None:
            channel.call("echo", [1, 2, 3])
            list(channel.map("echo", [[i] for i in range(20)]))
            dict(channel.as_completed("echo", [[i] for i in range(20)]))
            channel.submit("echo", [1]).result(20)
            channel.call("echo", [1], timeout=20.0, metadata={"a": "b"}, response_info=trunkline.ResponseInfo())
            list(channel.server_stream("count", 3))
            next(channel.server_stream("count", 3))
            assert channel.client_stream("total", range(3)) == 3
            list(channel.stream("each", int, int).exchange(range(3)))
            try:
                channel.call("fail", 1)
            except trunkline.NotFound:
                pass
            try:
                channel.call("nothing", payload)
            except trunkline.Unimplemented:
                pass

        use_often(use)
        assert sys.getrefcount(payload) <= 3


@pytest.mark.parametrize("options", [{}, {"interceptors": [interceptor]}])
def test_coroutines_leave_no_objects(options: Any) -> None:
    host = aio.Server(threads=1, **options)

    @host.method
    async def echo(request: list[int]) -> list[int]:
        return request

    @host.method
    def total_of_one(request: int) -> int:
        return request

    @host.method
    async def total(requests: AsyncIterator[int]) -> int:
        return sum([request async for request in requests])

    @host.method
    async def each(requests: AsyncIterator[int]) -> AsyncIterator[int]:
        async for request in requests:
            yield request

    async def numbers() -> AsyncIterator[int]:
        for number in range(3):
            yield number

    async def use(channel: aio.Channel) -> None:
        assert await channel.client_stream("total", numbers()) == 3
        assert [number async for number in channel.stream("each", int, int).exchange(numbers())] == [0, 1, 2]
        assert [number async for number in channel.map("total_of_one", numbers())] == [0, 1, 2]
        async with channel.stream("each", int, int) as stream:
            await stream.write(1)
            assert await stream.read() == 1
        await asyncio.gather(*(channel.call("echo", [i]) for i in range(20)))
        task = asyncio.ensure_future(channel.call("echo", [1]))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])

    async def main() -> None:
        async with host.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint, **options) as channel:
            for _ in range(20):
                await use(channel)
            await until_idle(running)
            left = Left()
            for _ in range(100):
                await use(channel)
            await until_idle(running)
            left.check()

    async def until_idle(running: aio.RunningServer) -> None:
        """Waits until the server is idle, because it notices a cancellation later than its client."""
        while running._tasks:
            await asyncio.sleep(0.001)

    asyncio.run(main())


def test_channels_and_servers_leave_no_descriptors() -> None:
    def use() -> None:
        with server().serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
            channel.call("echo", [1])

    use()
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(10):
        use()

    # A server closes what channels have left in its own time.
    wait_until(lambda: len(os.listdir("/proc/self/fd")) <= before)


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
            # The server's ends close when it notices that.
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
