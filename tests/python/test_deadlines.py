# SPDX-License-Identifier: MIT
"""The deadlines of calls that handlers make: inherited, of the channel, of their own, none."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Iterator
from typing import Any, Union

import pytest
import trunkline
from trunkline import aio, testing

#: The explicit timeouts of the calls of ``ask``.
OWN: dict[str, dict[str, Any]] = {"nothing": {}, "own": {"timeout": 1000.0}, "forever": {"timeout": math.inf}}


AnyServer = Union[trunkline.Server, aio.Server]


def add_left(server: AnyServer) -> None:
    @server.method
    def left(context: trunkline.Context) -> Union[float, None]:
        return context.time_left()


def lefts_of_blocking_calls(endpoint: str, default: dict[str, Any]) -> dict[str, Any]:
    with trunkline.Channel(endpoint, **default) as channel:
        return {name: channel.call("left", **options) for name, options in OWN.items()}


async def lefts_of_coroutines(endpoint: str, default: dict[str, Any]) -> dict[str, Any]:
    async with aio.Channel(endpoint, **default) as channel:
        lefts: dict[str, Any] = {name: await channel.call("left", **options) for name, options in OWN.items()}
        return lefts


def times_left(make: Any, *, is_plain: bool, timeout: float | None, default: dict[str, Any]) -> dict[str, Any]:
    """Returns the time left that handlers of this kind of server see."""
    server: AnyServer = make(threads=4)
    add_left(server)
    endpoints: list[str] = []

    if is_plain:

        @server.method
        def plain() -> Any:
            return lefts_of_blocking_calls(endpoints[0], default)
    else:

        @server.method("plain")
        async def coroutine() -> Any:
            return await lefts_of_coroutines(endpoints[0], default)

    async def main() -> dict[str, Any]:
        running = server.serve("tcp://127.0.0.1:0")
        endpoints.append(running.endpoint)
        async with aio.Channel(running.endpoint) as channel:
            reported = await channel.call("plain", timeout=timeout)
        stopping = running.stop()
        if stopping is not None:
            await stopping
        return dict(reported)

    return asyncio.run(main())


@pytest.mark.parametrize(
    "make, is_plain", [(trunkline.Server, True), (aio.Server, True), (aio.Server, False)]
)
def test_which_deadline_counts(make: Any, is_plain: bool) -> None:
    left = times_left(make, is_plain=is_plain, timeout=60.0, default={})
    assert 20 < left["nothing"] <= 60
    assert 900 < left["own"] <= 1000
    assert left["forever"] is None

    left = times_left(make, is_plain=is_plain, timeout=60.0, default={"default_timeout": 20.0})
    assert 10 < left["nothing"] <= 20
    assert 900 < left["own"] <= 1000
    assert left["forever"] is None

    left = times_left(make, is_plain=is_plain, timeout=60.0, default={"default_timeout": 500.0})
    assert 20 < left["nothing"] <= 60

    left = times_left(make, is_plain=is_plain, timeout=None, default={"default_timeout": 20.0})
    assert 10 < left["nothing"] <= 20
    assert left["forever"] is None


def test_what_a_handler_has_started_outlives_its_deadline() -> None:
    server = aio.Server(threads=1)
    add_left(server)
    tasks: list[asyncio.Task[Any]] = []

    async def main() -> None:
        responded = asyncio.Event()
        async with testing.aserve(server) as channel:

            async def later() -> Any:
                await responded.wait()
                return await channel.call("left")

            async def start() -> None:
                tasks.append(asyncio.ensure_future(later()))

            server.add("start", start)
        async with testing.aserve(server) as channel:
            await channel.call("start", timeout=30.0)
            responded.set()
            assert await tasks[0] is None

    asyncio.run(main())


def test_no_timeout_at_all() -> None:
    server = trunkline.Server(threads=1)
    add_left(server)

    with testing.serve(server, default_timeout=20.0) as channel:
        assert channel.call("left", timeout=math.inf) is None
        assert channel.submit("left", timeout=math.inf).result(20) is None
        assert list(channel.map("left", [None], timeout=math.inf)) == [None]
        with pytest.raises(ValueError, match="timeout"):
            channel.call("left", timeout=math.nan)
        with pytest.raises(ValueError, match="timeout"):
            channel.call("left", timeout=-math.inf)


@pytest.mark.parametrize("name", ["map", "as_completed"])
@pytest.mark.parametrize("is_plain", [True, False])
def test_each_call_of_a_map_has_what_is_left_by_then(name: str, is_plain: bool) -> None:
    server = aio.Server(threads=4)

    @server.method
    def left(request: int, context: trunkline.Context) -> Union[float, None]:
        return context.time_left()

    def result_of(result: Any) -> Any:
        return result if name == "map" else result[1]

    if is_plain:

        @server.method("outer")
        def plain(endpoint: str) -> list[float]:
            with trunkline.Channel(endpoint) as channel:

                def requests() -> Iterator[int]:
                    for number in range(2):
                        yield number
                        time.sleep(0.05)

                return [result_of(each) for each in getattr(channel, name)("left", requests(), float, window=1)]
    else:

        @server.method("outer")
        async def coroutine(endpoint: str) -> list[float]:
            async with aio.Channel(endpoint) as channel:

                async def requests() -> AsyncIterator[int]:
                    for number in range(2):
                        yield number
                        await asyncio.sleep(0.05)

                return [result_of(each) async for each in getattr(channel, name)("left", requests(), float, window=1)]

    async def main() -> Any:
        async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            return await channel.call("outer", running.endpoint, timeout=100.0)

    first, second = asyncio.run(main())
    assert 0 < second < first - 0.04 < 100
