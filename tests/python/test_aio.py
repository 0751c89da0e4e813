# SPDX-License-Identifier: MIT
"""Coroutines on both sides."""

from __future__ import annotations

import asyncio
import contextlib
import contextvars
import logging
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any, TypeVar

import pytest
import trunkline
import uvloop
from trunkline import aio

T = TypeVar("T")
Scenario = Callable[[aio.Server, aio.Channel], Awaitable[T]]


@pytest.fixture(params=["asyncio", "uvloop"])
def play(request: pytest.FixtureRequest) -> Callable[[aio.Server, Scenario[Any]], Any]:
    """Runs a scenario with a served server and a channel to it, on a new loop."""
    new_loop = uvloop.new_event_loop if request.param == "uvloop" else asyncio.new_event_loop

    def run(server: aio.Server, scenario: Scenario[Any]) -> Any:
        async def main() -> Any:
            async with server.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
                return await asyncio.wait_for(scenario(server, channel), 30)

        loop = new_loop()
        try:
            return loop.run_until_complete(main())
        finally:
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    return run


Play = Callable[[aio.Server, Scenario[Any]], Any]


def make_server() -> aio.Server:
    server = aio.Server(threads=2)

    @server.method
    async def echo(request: bytes) -> bytes:
        return request

    @server.method
    async def later(request: float) -> float:
        await asyncio.sleep(request)
        return request

    @server.method
    def plain(request: int) -> list[Any]:
        return [request, threading.current_thread() is threading.main_thread()]

    @server.method
    async def left(context: trunkline.Context) -> float | None:
        return context.time_left()

    @server.method
    async def fail(request: str) -> None:
        if request == "rpc":
            raise trunkline.PermissionDenied("not you")
        raise RuntimeError("secret")

    @server.method
    async def count(request: int) -> AsyncIterator[int]:
        for i in range(request):
            yield i

    @server.method
    def plain_count(request: int) -> Iterator[int]:
        yield from range(request)

    @server.method
    async def total(requests: AsyncIterator[int]) -> int:
        return sum([request async for request in requests])

    @server.method
    async def double(requests: AsyncIterator[int]) -> AsyncIterator[int]:
        async for request in requests:
            yield 2 * request

    return server


def test_calls(play: Play) -> None:
    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        assert await channel.call("echo", b"x") == b"x"
        responses = await asyncio.gather(*(channel.call("echo", str(i).encode()) for i in range(500)))
        assert responses == [str(i).encode() for i in range(500)]

    play(make_server(), scenario)


def test_handlers_run_side_by_side(play: Play) -> None:
    server = make_server()

    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        arrived: list[int] = []
        everybody = asyncio.Event()

        async def meet(request: int) -> int:
            arrived.append(request)
            if len(arrived) == 50:
                everybody.set()
            await everybody.wait()
            return request

        waiting.append(meet)
        assert await asyncio.gather(*(channel.call("meet", i) for i in range(50))) == list(range(50))

    waiting: list[Any] = []

    @server.method("meet")
    async def meet(request: int) -> int:
        return int(await waiting[0](request))

    play(server, scenario)


def test_plain_functions_run_on_threads(play: Play) -> None:
    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        assert await channel.call("plain", 3) == [3, False]
        assert [m async for m in channel.server_stream("plain_count", 5)] == list(range(5))

    play(make_server(), scenario)


def test_errors(play: Play, caplog: pytest.LogCaptureFixture) -> None:
    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        with pytest.raises(trunkline.PermissionDenied, match="not you"):
            await channel.call("fail", "rpc")
        with caplog.at_level(logging.ERROR), pytest.raises(trunkline.Internal) as caught:
            await channel.call("fail", "other")
        assert "secret" not in str(caught.value) and "secret" in caplog.text
        with pytest.raises(trunkline.InvalidArgument):
            await channel.call("later", "text")
        with pytest.raises(trunkline.Unimplemented):
            await channel.call("nothing")

    play(make_server(), scenario)


def test_deadlines(play: Play) -> None:
    server = make_server()

    @server.method
    async def outer() -> list[float | None]:
        async with aio.Channel(endpoints[0]) as inner:
            return [await inner.call("left"), await inner.call("left", timeout=1000.0)]

    endpoints: list[str] = []

    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        endpoints.append(channel.endpoint)
        with pytest.raises(trunkline.DeadlineExceeded):
            await channel.call("later", 30.0, timeout=0.05)
        assert await channel.call("left") is None
        inherited, own = await channel.call("outer", timeout=60.0)
        assert 0 < inherited <= 60 and 900 < own <= 1000

    play(server, scenario)


def test_cancelling_the_task_cancels_the_handler(play: Play) -> None:
    server = make_server()
    begun, cancelled = threading.Event(), threading.Event()

    @server.method
    async def forever() -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        task = asyncio.ensure_future(channel.call("forever"))
        while not begun.is_set():
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        while not cancelled.is_set():
            await asyncio.sleep(0.001)

    play(server, scenario)


def test_streams(play: Play) -> None:
    async def numbers(count: int) -> AsyncIterator[int]:
        for i in range(count):
            yield i

    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        assert [m async for m in channel.server_stream("count", 500, int)] == list(range(500))
        assert await channel.client_stream("total", range(500), int) == 124750
        assert await channel.client_stream("total", numbers(500), int) == 124750
        assert await channel.client_stream("total", [], int) == 0
        async with channel.stream("double", int, int) as stream:
            for i in range(20):
                await stream.write(i)
                assert await stream.read() == 2 * i
            await stream.close_writes()
            with pytest.raises(EOFError):
                await stream.read()
            await stream.finish()
        both = channel.stream("double", int, int).exchange(numbers(300))
        assert [m async for m in both] == [2 * i for i in range(300)]

    play(make_server(), scenario)


def test_a_stream_abandoned_midway_closes_the_generator(play: Play) -> None:
    server = make_server()
    closed = threading.Event()

    @server.method
    async def endless(request: int) -> AsyncIterator[bytes]:
        try:
            while True:
                yield bytes(request)
        finally:
            closed.set()

    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        async with channel.server_stream("endless", 1000, bytes) as stream:
            await stream.read()
        while not closed.is_set():
            await asyncio.sleep(0.001)

    play(server, scenario)


def test_map(play: Play) -> None:
    async def numbers() -> AsyncIterator[bytes]:
        for i in range(300):
            yield str(i).encode()

    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        expected = [str(i).encode() for i in range(300)]
        assert [m async for m in channel.map("echo", expected, window=16)] == expected
        assert [m async for m in channel.map("echo", numbers(), window=300)] == expected
        errors = [m async for m in channel.map("fail", ["rpc", "rpc"], return_exceptions=True)]
        assert [type(error) for error in errors] == [trunkline.PermissionDenied] * 2
        async with contextlib.aclosing(channel.map("later", [0.0, 30.0, 30.0])) as responses:
            assert await anext(responses) == 0.0

    play(make_server(), scenario)


def test_metadata_and_one_way(play: Play) -> None:
    server = make_server()
    notified: list[int] = []

    @server.method
    async def meta(context: trunkline.Context) -> str:
        context.add_trailing_metadata("trail", "t")
        return str(context.metadata["a"])

    @server.method
    async def notify(request: int) -> None:
        notified.append(request)

    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        response_info = trunkline.ResponseInfo()
        assert await channel.call("meta", metadata={"a": "b"}, response_info=response_info) == "b"
        assert response_info.trailing_metadata["trail"] == "t"
        await channel.call_oneway("notify", 5)
        while not notified:
            await asyncio.sleep(0.001)
        assert notified == [5]

    play(server, scenario)


def test_wait_for_ready_and_close(play: Play) -> None:
    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        await channel.wait_for_ready(20)
        assert channel.state == "ready"
        await channel.close()
        await channel.close()
        assert channel.state == "closed"
        with pytest.raises(trunkline.FailedPrecondition):
            await channel.call("echo", b"x")

    play(make_server(), scenario)


def test_closing_ends_what_waits(play: Play) -> None:
    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        running = server.serve("tcp://127.0.0.1:0")
        other = aio.Channel(running.endpoint)
        calls = [asyncio.ensure_future(other.call("later", 30.0)) for _ in range(20)]
        while running.totals()["open_calls"] < 20:
            await asyncio.sleep(0.001)
        with pytest.raises(trunkline.DeadlineExceeded, match="20 calls were cancelled"):
            await other.close(0.05)
        ended = await asyncio.gather(*calls, return_exceptions=True)
        assert [type(error) for error in ended] == [trunkline.Cancelled] * 20
        await running.stop()

    play(make_server(), scenario)


def test_draining_lets_calls_end(play: Play) -> None:
    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        running = server.serve("tcp://127.0.0.1:0")
        async with aio.Channel(running.endpoint) as other:
            call = asyncio.ensure_future(other.call("later", 0.1))
            while running.totals()["calls_started"] == 0:
                await asyncio.sleep(0.001)
            await running.shutdown(20)
            assert await call == 0.1

    play(make_server(), scenario)


def test_stopping_cancels_handlers(play: Play) -> None:
    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        running = server.serve("tcp://127.0.0.1:0")
        async with aio.Channel(running.endpoint, max_retries=0) as other:
            call = asyncio.ensure_future(other.call("later", 30.0))
            while running.totals()["calls_started"] == 0:
                await asyncio.sleep(0.001)
            await running.stop()
            with pytest.raises(trunkline.Unavailable):
                await call

    play(make_server(), scenario)


def test_plain_functions_inherit_deadline_and_context_variables(play: Play) -> None:
    server = make_server()
    variable = contextvars.ContextVar("variable", default="unset")
    endpoints: list[str] = []

    def left() -> Any:
        with trunkline.Channel(endpoints[0]) as channel:
            return channel.call("left")

    @server.method
    def relay() -> Any:
        return [left(), variable.get()]

    @server.method
    def relay_stream() -> Iterator[Any]:
        yield left()

    def interceptor(call: trunkline.IncomingCall) -> Iterator[None]:
        variable.set("set")
        yield

    intercepted = aio.Server(interceptors=[interceptor])
    intercepted.add("relay", relay)

    async def scenario(server: aio.Server, channel: aio.Channel) -> None:
        endpoints.append(channel.endpoint)
        seen = [(await channel.call("relay", timeout=60.0))[0]]
        seen += [each async for each in channel.server_stream("relay_stream", timeout=60.0)]
        async with intercepted.serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as other:
            seconds, value = await other.call("relay", timeout=60.0)
            assert value == "set"
            seen.append(seconds)
        assert all(each is not None and 0 < each <= 60 for each in seen), seen

    play(server, scenario)


def test_tasks_that_are_done_at_once() -> None:
    """The tasks of ``asyncio.eager_task_factory`` may be done when they are created."""

    def eager(loop: asyncio.AbstractEventLoop, coroutine: Any, **options: Any) -> Any:
        if coroutine.__name__ != "run":
            return asyncio.Task(coroutine, loop=loop, **options)
        done = loop.create_future()
        try:
            coroutine.send(None)
        except StopIteration as ended:
            done.set_result(ended.value)
        return done

    async def main() -> None:
        asyncio.get_running_loop().set_task_factory(eager)
        async with make_server().serve("tcp://127.0.0.1:0") as running, aio.Channel(running.endpoint) as channel:
            for _ in range(3):
                assert await asyncio.wait_for(channel.call("echo", b"x"), 50) == b"x"
            assert not running._tasks

    asyncio.run(main())
