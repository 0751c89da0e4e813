# SPDX-License-Identifier: MIT
"""Streams and maps with sources of requests that wait, fail, or never end."""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing

from .interception import Journal


def make_server() -> trunkline.Server:
    server = trunkline.Server(threads=4)

    @server.method
    def total(requests: Iterator[int]) -> int:
        return sum(requests)

    @server.method
    def first(requests: Iterator[int]) -> int:
        return next(requests)

    @server.method
    def refuse(requests: Iterator[int]) -> int:
        raise trunkline.PermissionDenied("no")

    @server.method
    def firsts(requests: Iterator[int]) -> Iterator[int]:
        yield next(requests)

    @server.method
    def each(requests: Iterator[int]) -> Iterator[int]:
        yield from requests

    @server.method
    def double(request: int) -> int:
        return 2 * request

    return server


Scenario = Callable[[aio.Channel], Any]


def play(scenario: Scenario, **options: Any) -> None:
    async def main(endpoint: str) -> None:
        async with aio.Channel(endpoint, **options) as channel:
            await asyncio.wait_for(scenario(channel), 30)

    with make_server().serve("tcp://127.0.0.1:0") as running:
        asyncio.run(main(running.endpoint))


class Waiting:
    """A source that yields some numbers and then waits forever."""

    def __init__(self, *numbers: int) -> None:
        self._numbers = numbers
        self.is_closed = False

    async def __call__(self) -> AsyncIterator[int]:
        try:
            for number in self._numbers:
                yield number
            await asyncio.Event().wait()
        finally:
            self.is_closed = True


@pytest.mark.parametrize("options", [{}, {"request": int}])
@pytest.mark.parametrize("numbers", [(), (1,), (1, 2)])
def test_a_timeout_is_noticed_while_the_source_waits(numbers: tuple[int, ...], options: Any) -> None:
    async def scenario(channel: aio.Channel) -> None:
        source = Waiting(*numbers)
        with pytest.raises(trunkline.DeadlineExceeded):
            await channel.client_stream("total", source(), int, timeout=1.0, **options)
        assert source.is_closed

    play(scenario)


def test_the_timeout_of_the_channel_is_noticed_while_the_source_waits() -> None:
    async def scenario(channel: aio.Channel) -> None:
        with pytest.raises(trunkline.DeadlineExceeded):
            await channel.client_stream("total", Waiting()(), int)

    play(scenario, default_timeout=0.1)


def test_a_timeout_of_the_sources_own_comes_through() -> None:
    async def source() -> AsyncIterator[int]:
        raise asyncio.TimeoutError("mine")
        yield 1

    async def scenario(channel: aio.Channel) -> None:
        with pytest.raises(asyncio.TimeoutError, match="mine"):
            await channel.client_stream("total", source(), int, timeout=20.0)

    play(scenario)


@pytest.mark.parametrize("intercepted", [False, True])
def test_an_early_end_is_noticed_while_the_source_waits(intercepted: bool) -> None:
    journal = Journal()

    async def scenario(channel: aio.Channel) -> None:
        source = Waiting(7)
        assert await channel.client_stream("first", source(), int) == 7
        assert source.is_closed
        with pytest.raises(trunkline.PermissionDenied):
            await channel.client_stream("refuse", Waiting()(), int, request=int)

    play(scenario, interceptors=[journal] if intercepted else [])
    assert journal.lines[1::2] == (["< None", "< PermissionDenied"] if intercepted else [])


@pytest.mark.parametrize("kind", [LookupError, trunkline.NotFound])
def test_what_a_source_raises_comes_through(kind: type[Exception]) -> None:
    def source() -> Iterator[int]:
        yield 1
        raise kind("of the source")

    async def asource() -> AsyncIterator[int]:
        for number in source():
            yield number

    async def scenario(channel: aio.Channel) -> None:
        with pytest.raises(kind, match="of the source"):
            await channel.client_stream("total", asource(), int)
        with pytest.raises(kind, match="of the source"):
            [response async for response in channel.stream("each", int, int).exchange(asource())]
        for many in (channel.map, channel.as_completed):
            with pytest.raises(kind, match="of the source"):
                [response async for response in many("double", asource())]

    play(scenario)
    with testing.serve(make_server()) as channel:
        with pytest.raises(kind, match="of the source"):
            channel.client_stream("total", source(), int)
        with pytest.raises(kind, match="of the source"):
            list(channel.stream("each", int, int).exchange(source()))


def test_a_source_may_wait_for_a_response() -> None:
    async def scenario(channel: aio.Channel) -> None:
        for many in (channel.map, channel.as_completed):
            for window in (1, 512):
                responses: list[Any] = []
                responded = asyncio.Event()

                async def source() -> AsyncIterator[int]:
                    for number in range(5):
                        yield number
                        await responded.wait()
                        responded.clear()

                async for response in many("double", source(), window=window):
                    responses.append(response)
                    responded.set()
                assert responses in ([0, 2, 4, 6, 8], [(number, 2 * number) for number in range(5)])

    play(scenario)


@pytest.mark.parametrize("window", [1, 3, 64])
def test_many_requests_of_an_async_source(window: int) -> None:
    begun = 0

    async def source() -> AsyncIterator[int]:
        nonlocal begun
        for begun in range(300):
            yield begun

    async def scenario(channel: aio.Channel) -> None:
        responses = channel.map("double", source(), window=window)
        assert [response async for response in responses] == [2 * i for i in range(300)]
        ended = [response async for response in channel.as_completed("double", source(), window=window)]
        assert sorted(ended) == [(i, 2 * i) for i in range(300)]
        responses = channel.map("double", source(), window=window)
        assert await anext(responses) == 0
        assert begun <= window + 1
        await responses.aclose()

    play(scenario)


def test_a_map_that_is_left_closes_its_source() -> None:
    async def scenario(channel: aio.Channel) -> None:
        for many in (channel.map, channel.as_completed):
            source = Waiting(1)
            responses = many("double", source())
            await anext(responses)
            await responses.aclose()
            assert source.is_closed

    play(scenario)


def test_a_failed_write_is_not_the_end_that_interceptors_see() -> None:
    journal, ajournal = Journal(), Journal()

    async def scenario(channel: aio.Channel) -> None:
        assert await channel.client_stream("first", itertools.count(5), int) == 5
        assert [response async for response in channel.stream("firsts", int, int).exchange(itertools.count(5))] == [5]

    play(scenario, interceptors=[ajournal])
    with make_server().serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, interceptors=[journal]) as channel:
            # The source has no end but a write that fails.
            assert channel.client_stream("first", itertools.count(5), int) == 5
            assert list(channel.stream("firsts", int, int).exchange(itertools.count(5))) == [5]

    assert journal.lines[1::2] == ["< None"] * 2
    assert ajournal.lines[1::2] == ["< None"] * 2


def test_a_stream_left_after_a_failed_write_reports_its_error() -> None:
    journal = Journal()
    with make_server().serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, interceptors=[journal]) as channel:
            with pytest.raises(trunkline.RpcError) as caught, channel.stream("refuse", int, int) as stream:
                while True:
                    stream.write(1)

    assert journal.lines == ["> refuse bidirectional", f"< {type(caught.value).__name__}"]


def test_an_exchange_that_ends_first_closes_its_source() -> None:
    threads: list[threading.Thread] = []
    closed = threading.Event()

    def source() -> Iterator[int]:
        threads.append(threading.current_thread())
        try:
            yield from itertools.count()
        finally:
            closed.set()

    with testing.serve(make_server()) as channel:
        assert list(channel.stream("firsts", int, int).exchange(source())) == [0]
        assert closed.wait(20)
        threads[0].join(20)
        assert threads[0] is not threading.current_thread() and not threads[0].is_alive()


def test_what_a_source_raises_after_the_exchange_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    threads: list[threading.Thread] = []
    ended = threading.Event()

    def source() -> Iterator[int]:
        threads.append(threading.current_thread())
        yield 1
        ended.wait(20)
        raise LookupError("too late")

    with testing.serve(make_server()) as channel:
        assert list(channel.stream("firsts", int, int).exchange(source())) == [1]
        ended.set()
        threads[0].join(20)
    assert "too late" in caplog.text


def test_what_a_call_is_cannot_be_changed() -> None:
    def renaming(call: trunkline.OutgoingCall) -> Iterator[None]:
        with pytest.raises(AttributeError):
            call.method = "triple"  # type: ignore[misc]
        with pytest.raises(AttributeError):
            call.kind = "triple"  # type: ignore[misc]
        yield

    with testing.serve(make_server(), interceptors=[renaming]) as channel:
        assert channel.call("double", 2) == 4
        assert list(channel.stream("each", int, int).exchange([1])) == [1]
