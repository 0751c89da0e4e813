# SPDX-License-Identifier: MIT
"""Streams and maps with sources of requests that wait, fail, or never end."""

from __future__ import annotations

import asyncio
import contextvars
import functools
import itertools
import threading
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing
from trunkline._calls.deadline import inherit_deadline
from trunkline._sync import request_writer

from .interception import Journal
from .waiting import wait_until


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
        if request < 0:
            raise trunkline.InvalidArgument("negative")
        return 2 * request

    @server.method
    def mixed(requests: Iterator[int]) -> Iterator[Any]:
        yield from ["no number", 1, 2]

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


# --- many calls whose requests raise what a call raises ---


class Refusing(trunkline.Codec):
    """Raises an error of the library instead of encoding a text."""

    name = "refusing"

    def supports(self, kind: Any) -> bool:
        return kind is str

    def encode(self, message: Any) -> bytes:
        raise trunkline.NotFound("of the codec")

    def decode(self, data: bytes, kind: Any) -> Any:
        return data.decode()


class Unready:
    """Requests whose iterator cannot be made."""

    def __iter__(self) -> Iterator[int]:
        raise trunkline.NotFound("of the iterable")


class UnreadyAsync:
    """Requests whose asynchronous iterator cannot be made."""

    def __aiter__(self) -> AsyncIterator[int]:
        raise trunkline.NotFound("of the iterable")


def raising(*numbers: int) -> Iterator[int]:
    yield from numbers
    raise trunkline.NotFound("of the source")


def calling(channel: trunkline.Channel, *numbers: int) -> Iterator[int]:
    """Makes a call of its own, which fails, after some requests."""
    yield from numbers
    yield channel.call("missing", response=int)


async def raising_async(error: BaseException, *numbers: int) -> AsyncIterator[int]:
    for number in numbers:
        yield number
    raise error


async def calling_async(channel: aio.Channel, *numbers: int) -> AsyncIterator[int]:
    for number in numbers:
        yield number
    yield await channel.call("missing", response=int)


async def texts() -> AsyncIterator[str]:
    yield "text"


#: Requests that fail at once, or after some calls, with an error whose class is that of errors of calls.
FAILING: dict[str, Callable[[trunkline.Channel], Any]] = {
    "at once": lambda channel: raising(),
    "later": lambda channel: raising(1, 2),
    "calling": lambda channel: calling(channel),
    "calling later": lambda channel: calling(channel, 1, 2),
    "iterable": lambda channel: Unready(),
}
FAILING_ASYNC: dict[str, Callable[[aio.Channel], Any]] = {
    "at once": lambda channel: raising_async(trunkline.NotFound("of the source")),
    "later": lambda channel: raising_async(trunkline.NotFound("of the source"), 1, 2),
    "calling": lambda channel: calling_async(channel),
    "calling later": lambda channel: calling_async(channel, 1, 2),
    "cancelled": lambda channel: raising_async(asyncio.CancelledError()),
    "cancelled later": lambda channel: raising_async(asyncio.CancelledError(), 1, 2),
    "iterable": lambda channel: UnreadyAsync(),
    "plain at once": lambda channel: raising(),
    "plain later": lambda channel: raising(1, 2),
    "plain iterable": lambda channel: Unready(),
}

both_kinds = pytest.mark.parametrize("kind", ["map", "as_completed"])
both_windows = pytest.mark.parametrize("window", [1, 512])
#: Calls without interceptors go another way than calls with them, or with the deadline that a handler passes on.
all_ways = pytest.mark.parametrize("way", ["plain", "intercepted", "inherited"])


def options_of(way: str) -> dict[str, Any]:
    return {"interceptors": [Journal()] if way == "intercepted" else []}


def within(way: str, run: Callable[[], None]) -> None:
    def run_with_deadline() -> None:
        inherit_deadline(3600.0)
        run()

    contextvars.copy_context().run(run_with_deadline if way == "inherited" else run)


def check_cut_off(responses: Iterator[Any]) -> None:
    """One error comes after the responses, if there are any, and then others for ever: no end."""
    with pytest.raises((trunkline.NotFound, trunkline.Unimplemented)):
        list(responses)
    for _ in range(2):
        with pytest.raises(trunkline.Cancelled, match="calls in progress were cancelled"):
            next(responses)


async def check_cut_off_async(responses: Any) -> None:
    with pytest.raises((trunkline.NotFound, trunkline.Unimplemented, trunkline.Cancelled)) as caught:
        [response async for response in responses]
    assert "calls in progress" not in str(caught.value)
    for _ in range(2):
        with pytest.raises(trunkline.Cancelled, match="calls in progress were cancelled"):
            await anext(responses)


@all_ways
@both_windows
@both_kinds
@pytest.mark.parametrize("requests", FAILING.values(), ids=FAILING)
def test_many_calls_do_not_seem_to_have_ended_when_the_requests_raise(
    requests: Callable[[trunkline.Channel], Any], kind: str, window: int, way: str
) -> None:
    with testing.serve(make_server(), **options_of(way)) as channel:
        within(
            way, lambda: check_cut_off(getattr(channel, kind)("double", requests(channel), int, window=window))
        )


@all_ways
@both_windows
@both_kinds
@pytest.mark.parametrize("requests", FAILING_ASYNC.values(), ids=FAILING_ASYNC)
def test_many_calls_of_asyncio_do_not_seem_to_have_ended_when_the_requests_raise(
    requests: Callable[[aio.Channel], Any], kind: str, window: int, way: str
) -> None:
    async def scenario(channel: aio.Channel) -> None:
        await check_cut_off_async(getattr(channel, kind)("double", requests(channel), int, window=window))

    within(way, lambda: play(scenario, **options_of(way)))


@both_windows
@both_kinds
def test_many_calls_do_not_seem_to_have_ended_when_a_request_is_not_encoded(kind: str, window: int) -> None:
    """Whatever the codec raises."""

    async def scenario(channel: aio.Channel) -> None:
        for requests in (["text"], texts()):
            await check_cut_off_async(getattr(channel, kind)("double", requests, window=window))

    play(scenario, codecs=[Refusing()])
    with testing.serve(make_server(), codecs=[Refusing()]) as channel:
        check_cut_off(getattr(channel, kind)("double", ["text"], window=window))


@all_ways
@both_windows
@both_kinds
def test_many_calls_end_with_the_error_of_a_call(kind: str, window: int, way: str) -> None:
    """That is the outcome at its turn, so it is followed by the end."""

    async def scenario(channel: aio.Channel) -> None:
        async def requests() -> AsyncIterator[int]:
            yield 1
            yield -1

        for source in ([1, -1], requests()):
            responses = getattr(channel, kind)("double", source, int, window=window)
            with pytest.raises(trunkline.InvalidArgument):
                [response async for response in responses]
            with pytest.raises(StopAsyncIteration):
                await anext(responses)

    def blocking() -> None:
        with testing.serve(make_server(), **options_of(way)) as channel:
            responses = getattr(channel, kind)("double", [1, -1], int, window=window)
            with pytest.raises(trunkline.InvalidArgument):
                list(responses)
            with pytest.raises(StopIteration):
                next(responses)

    within(way, blocking)
    within(way, lambda: play(scenario, **options_of(way)))


# --- an exchange that has raised an error ---


def test_an_exchange_whose_requests_raise_after_its_end_does_not_seem_to_have_ended(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(request_writer, "_END_TIMEOUT", 60.0)
    with testing.serve(make_server()) as channel:
        stream = channel.stream("firsts", int, int)

        def source() -> Iterator[int]:
            yield 1
            wait_until(lambda: stream._call.has_ended)
            raise LookupError("of the source")

        responses = stream.exchange(source())
        assert next(responses) == 1
        with pytest.raises(LookupError, match="of the source"):
            next(responses)
        for _ in range(2):
            with pytest.raises(trunkline.Cancelled):
                next(responses)


def test_an_exchange_of_asyncio_whose_requests_raise_after_its_end_does_not_seem_to_have_ended() -> None:
    async def scenario(channel: aio.Channel) -> None:
        stream = channel.stream("firsts", int, int)
        is_first_read = asyncio.Event()

        def has_second_read_ended() -> bool:
            read = stream._call._reads.untaken
            return read is not None and read.is_done()

        async def source() -> AsyncIterator[int]:
            yield 1
            await is_first_read.wait()
            wait_until(has_second_read_ended)  # the loop does not run meanwhile
            raise LookupError("of the source")

        responses = stream.exchange(source())
        assert await anext(responses) == 1
        is_first_read.set()
        with pytest.raises(LookupError, match="of the source"):
            await anext(responses)
        for _ in range(2):
            with pytest.raises(trunkline.Cancelled):
                await anext(responses)

    play(scenario)


def objecting(error: Exception, call: trunkline.OutgoingCall) -> Iterator[None]:
    """An interceptor that raises an error after a call that the server has ended with ok."""
    yield
    raise error


@pytest.mark.parametrize("error", [LookupError("after the call"), trunkline.DataLoss("after the call")])
def test_an_exchange_to_which_an_interceptor_objects_does_not_seem_to_have_ended(error: Exception) -> None:
    interceptors = [functools.partial(objecting, error)]

    async def scenario(channel: aio.Channel) -> None:
        responses = channel.stream("each", int, int).exchange([1])
        assert await anext(responses) == 1
        with pytest.raises(type(error), match="after the call"):
            await anext(responses)
        for _ in range(2):
            with pytest.raises(trunkline.Cancelled):
                await anext(responses)

    play(scenario, interceptors=interceptors)
    with testing.serve(make_server(), interceptors=interceptors) as channel:
        responses = channel.stream("each", int, int).exchange([1])
        assert next(responses) == 1
        with pytest.raises(type(error), match="after the call"):
            next(responses)
        for _ in range(2):
            with pytest.raises(trunkline.Cancelled):
                next(responses)


def test_an_exchange_yields_no_response_after_one_that_does_not_decode() -> None:
    async def scenario(channel: aio.Channel) -> None:
        responses = channel.stream("mixed", int, int).exchange([])
        with pytest.raises(trunkline.Internal):
            await anext(responses)
        for _ in range(4):
            with pytest.raises(trunkline.RpcError):
                await anext(responses)

    play(scenario)
    with testing.serve(make_server()) as channel:
        responses = channel.stream("mixed", int, int).exchange([])
        with pytest.raises(trunkline.Internal):
            next(responses)
        for _ in range(4):
            with pytest.raises(trunkline.RpcError):
                next(responses)
