# SPDX-License-Identifier: MIT
"""Cancelled tasks of asyncio's clients, with interceptors and without: which cancel their call, and what they leave."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

import pytest

import trunkline.grpc
from trunkline.grpc.aio._written_requests import END, WrittenRequests

from .pairs import IMPLEMENTATIONS, SOON

KINDS = ("unary_unary", "unary_stream", "stream_unary", "stream_stream")
WITH_REQUESTS = ("stream_unary", "stream_stream")
WITH_RESPONSES = ("unary_stream", "stream_stream")

Through = Callable[[Any, Any, Any], Awaitable[Any]]


@pytest.fixture(params=list(IMPLEMENTATIONS))
def module(request: pytest.FixtureRequest) -> Any:
    """Every implementation of grpcio's interface."""
    return IMPLEMENTATIONS[request.param]


async def passing(continuation: Any, details: Any, request: Any) -> Any:
    return await continuation(details, request)


def interceptor(module: Any, kind: str, through: Through = passing) -> Any:
    """A client interceptor for one kind of call."""
    base = getattr(module.aio, f"{kind.title().replace('_', '')}ClientInterceptor")

    async def intercept(self: Any, continuation: Any, details: Any, request: Any) -> Any:
        return await through(continuation, details, request)

    return type("Interceptor", (base,), {f"intercept_{kind}": intercept})()


class Served:
    """A method of one kind, whose handler waits until it is let go or cancelled."""

    def __init__(self) -> None:
        self.entered = asyncio.Event()
        self.cancelled = asyncio.Event()
        self.let_go = asyncio.Event()
        self.channel: Any = None
        self.call: Any = None

    async def wait(self, _: Any, context: Any) -> bytes:
        self.entered.set()
        try:
            await self.let_go.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return b"over"

    async def wait_and_yield(self, requests: Any, context: Any) -> AsyncIterator[bytes]:
        yield await self.wait(requests, context)


def begun(channel: Any, kind: str, **options: Any) -> Any:
    """A call of the method."""
    method = getattr(channel, kind)("/S/M")
    return method(**options) if kind.startswith("stream") else method(b"", **options)


async def soon(awaitable: Awaitable[Any]) -> Any:
    return await asyncio.wait_for(awaitable, SOON)


@contextlib.asynccontextmanager
async def calling(
    module: Any, kind: str, interceptors: Any = None, behavior: Callable[..., Any] | None = None
) -> AsyncIterator[Served]:
    """Serves the method, and begins a call that it has entered."""
    served = Served()
    if behavior is None:
        behavior = served.wait if kind.endswith("unary") else served.wait_and_yield
    server = module.aio.server()
    handler = getattr(module, f"{kind}_rpc_method_handler")(behavior)
    server.add_generic_rpc_handlers((module.method_handlers_generic_handler("S", {"M": handler}),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        async with module.aio.insecure_channel(f"127.0.0.1:{port}", interceptors=interceptors) as channel:
            served.channel = channel
            served.call = begun(channel, kind)
            yield served
    finally:
        await server.stop(None)


def run(scenario: Awaitable[Any]) -> None:
    async def main() -> None:
        await scenario

    asyncio.run(main())


async def cancelled(task: asyncio.Task[Any]) -> None:
    """Cancels a task that has begun to wait, and waits for its end."""
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await soon(task)


@pytest.mark.parametrize("kind", WITH_REQUESTS)
@pytest.mark.parametrize("intercepted", [False, True])
def test_a_cancelled_write_cancels_the_call(kind: str, intercepted: bool) -> None:
    module = trunkline.grpc

    async def scenario() -> None:
        interceptors = [interceptor(module, kind)] if intercepted else None
        async with calling(module, kind, interceptors) as served:
            first = asyncio.Event()

            async def write_all() -> None:
                while True:
                    await served.call.write(bytes(500_000))  # nobody reads
                    first.set()

            writing = asyncio.ensure_future(write_all())
            await soon(first.wait())
            await soon(served.entered.wait())
            await cancelled(writing)

            await soon(served.cancelled.wait())
            assert served.call.done() and served.call.cancelled()
            assert await soon(served.call.code()) is module.StatusCode.CANCELLED
            with pytest.raises(asyncio.InvalidStateError):
                await served.call.write(b"")

    run(scenario())


@pytest.mark.parametrize("kind", WITH_REQUESTS)
def test_a_cancelled_end_of_requests_cancels_the_call(kind: str) -> None:
    module = trunkline.grpc

    async def reading_none(continuation: Any, details: Any, requests: Any) -> Any:
        async def none() -> AsyncIterator[bytes]:
            await asyncio.Event().wait()
            yield b""

        return await continuation(details, none())

    async def scenario() -> None:
        async with calling(module, kind, [interceptor(module, kind, reading_none)]) as served:
            await served.call.write(b"kept")  # it is the one that is held
            ending = asyncio.ensure_future(served.call.done_writing())
            await soon(served.entered.wait())
            await cancelled(ending)

            await soon(served.cancelled.wait())
            assert served.call.cancelled()

    run(scenario())


def test_a_cancelled_write_takes_its_request_back() -> None:
    async def scenario() -> None:
        written = WrittenRequests()
        assert await written.put("a")
        waiting = [asyncio.ensure_future(written.put(each)) for each in "bcd"]
        await asyncio.sleep(0)
        await cancelled(waiting[1])

        taken = [await anext(written) for _ in range(3)]
        assert await written.put(END)
        taken += [each async for each in written]
        assert taken == ["a", "b", "d"]
        assert [await anext(written, None) for _ in range(2)] == [None, None]

    run(scenario())


def test_writes_keep_their_order() -> None:
    async def scenario() -> None:
        written = WrittenRequests()
        numbers = list(range(50))
        writing = [asyncio.ensure_future(written.put(number)) for number in numbers]

        assert [await soon(anext(written)) for _ in numbers] == numbers
        assert await asyncio.gather(*writing) == [True] * 50

    run(scenario())


def test_writes_that_wait_end_with_the_call() -> None:
    async def scenario() -> None:
        written = WrittenRequests()
        assert await written.put("a")
        waiting = [asyncio.ensure_future(written.put(each)) for each in "bc"]
        await asyncio.sleep(0)
        written.end()

        assert await asyncio.gather(*waiting) == [False, False]
        assert await anext(written, None) is None

        empty = WrittenRequests()
        reading = asyncio.ensure_future(anext(empty, None))
        await asyncio.sleep(0)
        empty.end()
        assert await soon(reading) is None

    run(scenario())


@pytest.mark.parametrize("kind", WITH_REQUESTS)
def test_an_early_end_leaves_no_task(kind: str) -> None:
    """The writes that wait end, and so does the task that hands their requests on."""
    module = trunkline.grpc

    async def refuse(requests: Any, context: Any) -> bytes:
        await context.abort(module.StatusCode.NOT_FOUND, "no")
        return b""

    async def refuse_and_yield(requests: Any, context: Any) -> AsyncIterator[bytes]:
        yield await refuse(requests, context)

    behavior = refuse if kind == "stream_unary" else refuse_and_yield

    async def scenario() -> None:
        before = asyncio.all_tasks()
        async with calling(module, kind, [interceptor(module, kind)], behavior) as served:
            assert await soon(served.call.code()) is module.StatusCode.NOT_FOUND
            with pytest.raises(asyncio.InvalidStateError):
                await served.call.write(b"late")
            await served.call.done_writing()
        for _ in range(100):
            await asyncio.sleep(0)
        assert asyncio.all_tasks() == before

    run(scenario())


def futures_alive() -> int:
    gc.collect()
    return sum(isinstance(each, asyncio.Future) for each in gc.get_objects())


@pytest.mark.parametrize("intercepted", [False, True])
def test_memory_does_not_grow_with_the_messages(intercepted: bool) -> None:
    module = trunkline.grpc

    async def echo(requests: Any, context: Any) -> AsyncIterator[bytes]:
        async for each in requests:
            yield each

    async def scenario() -> None:
        interceptors = [interceptor(module, "stream_stream")] if intercepted else None
        async with calling(module, "stream_stream", interceptors, echo) as served:

            async def exchange(count: int) -> int:
                for _ in range(count):
                    await served.call.write(b"x")
                    assert await served.call.read() == b"x"
                return futures_alive()

            few = await soon(exchange(20))
            many = await soon(exchange(500))
            assert many <= few + 20
            await served.call.done_writing()
            assert await soon(served.call.read()) is module.aio.EOF

    run(scenario())


@pytest.mark.parametrize("kind", WITH_RESPONSES)
@pytest.mark.parametrize("intercepted", [False, True])
def test_a_cancelled_read_cancels_the_call(kind: str, intercepted: bool) -> None:
    """A further read says so again; grpcio reports the end of the stream behind an interceptor."""
    module = trunkline.grpc

    async def scenario() -> None:
        interceptors = [interceptor(module, kind)] if intercepted else None
        async with calling(module, kind, interceptors) as served:
            reading = asyncio.ensure_future(served.call.read())
            await soon(served.entered.wait())
            await cancelled(reading)

            await soon(served.cancelled.wait())
            assert served.call.cancelled()
            for _ in range(2):
                with pytest.raises(asyncio.CancelledError):
                    await served.call.read()

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
def test_cancelling_the_wait_for_responses_cancels_the_interceptors(module: Any, kind: str) -> None:
    seen: list[str] = []
    begun = asyncio.Event()

    async def waiting(continuation: Any, details: Any, request: Any) -> Any:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            seen.append("cancelled")
            raise

    async def scenario() -> None:
        async with calling(module, kind, [interceptor(module, kind, waiting)]) as served:

            async def wait() -> Any:
                return await served.call if kind.endswith("unary") else await served.call.read()

            task = asyncio.ensure_future(wait())
            await soon(begun.wait())
            await cancelled(task)
            assert seen == ["cancelled"] and served.call.done() and served.call.cancelled()

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercepted", [False, True])
@pytest.mark.parametrize("question", ["initial_metadata", "trailing_metadata", "code", "details"])
def test_a_cancelled_question_leaves_the_call_alone(module: Any, kind: str, intercepted: bool, question: str) -> None:
    async def scenario() -> None:
        async with calling(module, kind, [interceptor(module, kind)] if intercepted else None) as served:
            tasks = [asyncio.ensure_future(getattr(served.call, question)()) for _ in range(2)]
            await soon(served.entered.wait())
            await cancelled(tasks[0])
            assert not served.call.done() and not served.call.cancelled()
            served.let_go.set()
            if kind.startswith("stream"):
                await served.call.done_writing()
            response = await soon(served.call if kind.endswith("unary") else served.call.read())
            assert response == b"over" and not served.cancelled.is_set()
            if kind.endswith("stream"):
                assert await soon(served.call.read()) is module.aio.EOF
            await soon(tasks[1])

    run(scenario())


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("intercepted", [False, True])
def test_waiting_for_a_connection_that_cannot_be_made(module: Any, kind: str, intercepted: bool) -> None:
    async def scenario() -> None:
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))  # nobody listens there
            target = f"127.0.0.1:{taken.getsockname()[1]}"
            interceptors = [interceptor(module, kind)] if intercepted else None
            async with module.aio.insecure_channel(target, interceptors=interceptors) as channel:
                method = getattr(channel, kind)("/S/M")
                call = method() if kind.startswith("stream") else method(b"")
                with pytest.raises(module.aio.AioRpcError) as raised:
                    await soon(call.wait_for_connection())
                assert raised.value.code() is module.StatusCode.UNAVAILABLE

    run(scenario())


@pytest.mark.parametrize("kind", ["unary_unary", "unary_stream"])
def test_waiting_for_the_connection_of_a_call_with_one_request_reports_its_refusal(module: Any, kind: str) -> None:
    """google.api_core decides by it whether a call is made again."""

    async def refuse(request: Any, context: Any) -> bytes:
        await context.abort(module.StatusCode.NOT_FOUND, "no")
        return b""

    async def refuse_and_yield(request: Any, context: Any) -> AsyncIterator[bytes]:
        yield await refuse(request, context)

    behavior = refuse if kind == "unary_unary" else refuse_and_yield

    async def scenario() -> None:
        async with calling(module, kind, None, behavior) as served:
            with pytest.raises(module.aio.AioRpcError, match="NOT_FOUND"):
                await soon(served.call.wait_for_connection())

    run(scenario())


@pytest.mark.parametrize("kind", ["unary_unary", "unary_stream"])
def test_cancelling_the_wait_for_a_connection_of_a_call_with_one_request_cancels_it(module: Any, kind: str) -> None:
    async def scenario() -> None:
        async with calling(module, kind) as served:
            waiting = asyncio.ensure_future(served.call.wait_for_connection())
            await soon(served.entered.wait())
            await cancelled(waiting)
            await soon(served.cancelled.wait())
            assert served.call.cancelled()

    run(scenario())


@pytest.mark.parametrize("kind", WITH_REQUESTS)
def test_a_stream_of_requests_has_its_connection_before_the_server_responds(module: Any, kind: str) -> None:
    async def scenario() -> None:
        async with calling(module, kind) as served:
            await soon(served.call.wait_for_connection())
            assert not served.call.done()

    run(scenario())
