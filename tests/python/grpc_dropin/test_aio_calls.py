# SPDX-License-Identifier: MIT
"""Calls of asyncio clients to asyncio servers."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue

from .pairs import SOON, Pair, handler, method, text


@contextlib.asynccontextmanager
async def serving(
    module: Any, methods: dict[str, tuple[str, Callable[..., Any]]], **options: Any
) -> AsyncIterator[str]:
    """Serves methods by their name, each with its kind and function. Yields the target."""
    server = module.aio.server(**options)
    handlers = {name: handler(module, kind, behavior) for name, (kind, behavior) in methods.items()}
    server.add_generic_rpc_handlers((module.method_handlers_generic_handler("test.Text", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield f"127.0.0.1:{port}"
    finally:
        await server.stop(None)


async def upper(request: StringValue, context: Any) -> StringValue:
    await asyncio.sleep(0)
    return text(request.value.upper())


async def letters(request: StringValue, context: Any) -> AsyncIterator[StringValue]:
    for letter in request.value:
        yield text(letter)


async def written_letters(request: StringValue, context: Any) -> None:
    for letter in request.value:
        await context.write(text(letter))


async def joined(requests: AsyncIterator[StringValue], context: Any) -> StringValue:
    return text("".join([request.value async for request in requests]))


async def echo(requests: AsyncIterator[StringValue], context: Any) -> AsyncIterator[StringValue]:
    async for request in requests:
        yield text(request.value + request.value)


METHODS: dict[str, tuple[str, Callable[..., Any]]] = {
    "Upper": ("unary_unary", upper),
    "Letters": ("unary_stream", letters),
    "WrittenLetters": ("unary_stream", written_letters),
    "Joined": ("stream_unary", joined),
    "Echo": ("stream_stream", echo),
}


def test_unary_calls(pair: Pair) -> None:
    async def run() -> None:
        async with serving(pair.server, METHODS) as target, pair.client.aio.insecure_channel(target) as channel:
            upper_of = method(channel, "Upper", "unary_unary")

            call = upper_of(text("a"), timeout=SOON)
            assert isinstance(call, pair.client.aio.UnaryUnaryCall)
            assert (await call).value == "A"
            assert (await call).value == "A"
            assert await call.code() is pair.client.StatusCode.OK
            assert await call.details() == ""
            assert call.done() and not call.cancelled() and not call.cancel()

            many = await asyncio.gather(*(upper_of(text(f"a{n}"), timeout=SOON) for n in range(100)))
            assert [response.value for response in many] == [f"A{n}" for n in range(100)]

    asyncio.run(run())


def test_stream_of_responses(pair: Pair) -> None:
    async def run() -> None:
        async with serving(pair.server, METHODS) as target, pair.client.aio.insecure_channel(target) as channel:
            for name in ("Letters", "WrittenLetters"):
                letters_of = method(channel, name, "unary_stream")

                call = letters_of(text("abc"), timeout=SOON)
                assert [response.value async for response in call] == ["a", "b", "c"]
                assert await call.code() is pair.client.StatusCode.OK

                call = letters_of(text("ab"), timeout=SOON)
                assert (await call.read()).value == "a"
                assert (await call.read()).value == "b"
                assert await call.read() is pair.client.aio.EOF
                with pytest.raises(pair.client.aio.UsageError):
                    call.__aiter__()

    asyncio.run(run())


def test_stream_of_requests(pair: Pair) -> None:
    async def run() -> None:
        async def requests() -> AsyncIterator[StringValue]:
            yield text("a")
            yield text("b")

        async with serving(pair.server, METHODS) as target, pair.client.aio.insecure_channel(target) as channel:
            joined_of = method(channel, "Joined", "stream_unary")

            assert (await joined_of(requests(), timeout=SOON)).value == "ab"
            assert (await joined_of([text("c"), text("d")], timeout=SOON)).value == "cd"

            call = joined_of(timeout=SOON)
            await call.write(text("e"))
            await call.write(text("f"))
            await call.done_writing()
            assert (await call).value == "ef"
            assert await call.code() is pair.client.StatusCode.OK

    asyncio.run(run())


def test_streams_in_both_directions(pair: Pair) -> None:
    async def run() -> None:
        async with serving(pair.server, METHODS) as target, pair.client.aio.insecure_channel(target) as channel:
            echo_of = method(channel, "Echo", "stream_stream")

            call = echo_of((text(str(n)) for n in range(100)), timeout=SOON)
            assert [response.value async for response in call] == [f"{n}{n}" for n in range(100)]

            call = echo_of(timeout=SOON)
            for n in range(10):
                await call.write(text(str(n)))
                assert (await call.read()).value == f"{n}{n}"
            await call.done_writing()
            assert await call.read() is pair.client.aio.EOF
            assert await call.code() is pair.client.StatusCode.OK

    asyncio.run(run())


def test_errors(pair: Pair) -> None:
    async def refuse(request: StringValue, context: Any) -> None:
        await context.abort(pair.server.StatusCode.NOT_FOUND, "no such thing", (("reason", "none"),))

    async def fail(request: StringValue, context: Any) -> StringValue:
        raise ValueError("broken")

    async def coded(request: StringValue, context: Any) -> StringValue:
        context.set_code(pair.server.StatusCode.DATA_LOSS)
        context.set_details("lost")
        return text("")

    async def refuse_later(request: StringValue, context: Any) -> AsyncIterator[StringValue]:
        yield text("one")
        await context.abort(pair.server.StatusCode.ABORTED, "enough")

    methods: dict[str, tuple[str, Callable[..., Any]]] = {
        "Refuse": ("unary_unary", refuse),
        "Fail": ("unary_unary", fail),
        "Coded": ("unary_unary", coded),
        "RefuseLater": ("unary_stream", refuse_later),
    }
    codes = pair.client.StatusCode

    async def run() -> None:
        async with serving(pair.server, methods) as target, pair.client.aio.insecure_channel(target) as channel:
            with pytest.raises(pair.client.aio.AioRpcError) as raised:
                await method(channel, "Refuse", "unary_unary")(text(""), timeout=SOON)
            assert raised.value.code() is codes.NOT_FOUND
            assert raised.value.details() == "no such thing"
            assert raised.value.trailing_metadata()["reason"] == "none"
            assert isinstance(raised.value, pair.client.RpcError)

            with pytest.raises(pair.client.aio.AioRpcError) as raised:
                await method(channel, "Fail", "unary_unary")(text(""), timeout=SOON)
            assert raised.value.code() is codes.UNKNOWN
            assert raised.value.details() == "Unexpected <class 'ValueError'>: broken"

            call = method(channel, "Coded", "unary_unary")(text(""), timeout=SOON)
            assert (await call.code(), await call.details()) == (codes.DATA_LOSS, "lost")

            call = method(channel, "RefuseLater", "unary_stream")(text(""), timeout=SOON)
            assert (await call.read()).value == "one"
            with pytest.raises(pair.client.aio.AioRpcError) as raised:
                await call.read()
            assert (raised.value.code(), raised.value.details()) == (codes.ABORTED, "enough")

            call = method(channel, "Missing", "unary_unary")(text(""), timeout=SOON)
            assert await call.code() is codes.UNIMPLEMENTED

        async with pair.client.aio.insecure_channel(target) as channel:
            call = method(channel, "Refuse", "unary_unary")(text(""), timeout=SOON)
            assert await call.code() is codes.UNAVAILABLE

    asyncio.run(run())


def test_deadline_and_cancellation(pair: Pair) -> None:
    begun: asyncio.Queue[bool]
    cancelled: asyncio.Queue[bool]

    async def wait(request: StringValue, context: Any) -> StringValue:
        begun.put_nowait(True)
        try:
            await asyncio.sleep(SOON)
        except asyncio.CancelledError:
            cancelled.put_nowait(True)
            raise
        return request

    async def count(request: StringValue, context: Any) -> AsyncIterator[StringValue]:
        yield text("0")
        await asyncio.sleep(SOON)

    methods: dict[str, tuple[str, Callable[..., Any]]] = {
        "Wait": ("unary_unary", wait),
        "Count": ("unary_stream", count),
    }

    async def run() -> None:
        nonlocal begun, cancelled
        begun, cancelled = asyncio.Queue(), asyncio.Queue()
        codes = pair.client.StatusCode
        async with serving(pair.server, methods) as target, pair.client.aio.insecure_channel(target) as channel:
            with pytest.raises(pair.client.aio.AioRpcError) as raised:
                # Long enough that the call begins.
                await method(channel, "Wait", "unary_unary")(text(""), timeout=1.0)
            assert raised.value.code() is codes.DEADLINE_EXCEEDED
            assert await asyncio.wait_for(begun.get(), SOON)
            assert await asyncio.wait_for(cancelled.get(), SOON)

            call = method(channel, "Wait", "unary_unary")(text(""), timeout=SOON)
            ended: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            call.add_done_callback(ended.set_result)
            assert await asyncio.wait_for(begun.get(), SOON)
            assert 0 < call.time_remaining() <= SOON
            assert call.cancel()
            assert call.cancelled() and call.done()
            with pytest.raises(asyncio.CancelledError):
                await call
            assert await call.code() is codes.CANCELLED
            assert await call.details() == "Locally cancelled by application!"
            assert await asyncio.wait_for(ended, SOON) is call
            assert await asyncio.wait_for(cancelled.get(), SOON)

            call = method(channel, "Wait", "unary_unary")(text(""), timeout=SOON)
            with pytest.raises(asyncio.TimeoutError):
                await asyncio.wait_for(call, 0.1)
            assert call.cancelled()

            call = method(channel, "Count", "unary_stream")(text(""), timeout=SOON)
            assert (await call.read()).value == "0"
            assert call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call.read()
            assert await call.code() is codes.CANCELLED

    asyncio.run(run())


def test_metadata(pair: Pair) -> None:
    async def told(request: StringValue, context: Any) -> StringValue:
        await context.send_initial_metadata((("initial", "i"), ("initial-bin", b"\x00")))
        context.set_trailing_metadata((("trailing", "t"),))
        sent = {key: value for key, value in context.invocation_metadata()}
        return text(f"{sent['key']} {sent['key-bin']!r}")

    async def streamed(request: StringValue, context: Any) -> AsyncIterator[StringValue]:
        await context.send_initial_metadata((("initial", "i"),))
        yield text("one")
        context.set_trailing_metadata((("trailing", "t"),))

    methods: dict[str, tuple[str, Callable[..., Any]]] = {
        "Told": ("unary_unary", told),
        "Streamed": ("unary_stream", streamed),
    }

    async def run() -> None:
        async with serving(pair.server, methods) as target, pair.client.aio.insecure_channel(target) as channel:
            metadata = pair.client.aio.Metadata(("key", "v"), ("key-bin", b"\xff"))

            call = method(channel, "Told", "unary_unary")(text(""), metadata=metadata, timeout=SOON)
            assert (await call).value == "v b'\\xff'"
            initial = await call.initial_metadata()
            assert (initial["initial"], initial["initial-bin"]) == ("i", b"\x00")
            assert (await call.trailing_metadata())["trailing"] == "t"

            call = method(channel, "Streamed", "unary_stream")(text(""), timeout=SOON)
            assert (await call.initial_metadata())["initial"] == "i"
            assert [response.value async for response in call] == ["one"]
            assert (await call.trailing_metadata())["trailing"] == "t"

    asyncio.run(run())


def test_plain_functions_run_on_threads(pair: Pair) -> None:
    def blocking(request: StringValue, context: Any) -> StringValue:
        context.set_trailing_metadata((("kind", "plain"),))
        return text(request.value.upper())

    def generator(request: StringValue, context: Any) -> Iterator[StringValue]:
        for letter in request.value:
            yield text(letter)

    methods: dict[str, tuple[str, Callable[..., Any]]] = {
        "Blocking": ("unary_unary", blocking),
        "Generator": ("unary_stream", generator),
    }
    from concurrent import futures

    async def run() -> None:
        pool = futures.ThreadPoolExecutor(2)
        async with serving(pair.server, methods, migration_thread_pool=pool) as target:
            async with pair.client.aio.insecure_channel(target) as channel:
                call = method(channel, "Blocking", "unary_unary")(text("a"), timeout=SOON)
                assert (await call).value == "A"
                assert (await call.trailing_metadata())["kind"] == "plain"
                call = method(channel, "Generator", "unary_stream")(text("ab"), timeout=SOON)
                assert [response.value async for response in call] == ["a", "b"]

    asyncio.run(run())


def test_channel_states(pair: Pair) -> None:
    states = pair.client.ChannelConnectivity

    async def run() -> None:
        async with serving(pair.server, METHODS) as target:
            channel = pair.client.aio.insecure_channel(target)
            assert channel.get_state() is states.IDLE
            channel.get_state(try_to_connect=True)
            await asyncio.wait_for(channel.wait_for_state_change(states.IDLE), SOON)
            await asyncio.wait_for(channel.channel_ready(), SOON)
            assert channel.get_state() is states.READY
            await channel.close()
            assert channel.get_state() is states.SHUTDOWN
            with pytest.raises(pair.client.aio.UsageError):
                await method(channel, "Upper", "unary_unary")(text("a"))

    asyncio.run(run())


def test_stop_lets_calls_end(pair: Pair) -> None:
    async def run() -> None:
        begun, released = asyncio.Event(), asyncio.Event()

        async def wait(request: StringValue, context: Any) -> StringValue:
            begun.set()
            await released.wait()
            return request

        server = pair.server.aio.server()
        handlers = {"Wait": handler(pair.server, "unary_unary", wait)}
        server.add_generic_rpc_handlers((pair.server.method_handlers_generic_handler("test.Text", handlers),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        assert await server.wait_for_termination(0.01) is True
        async with pair.client.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = method(channel, "Wait", "unary_unary")(text("a"), timeout=SOON)
            await asyncio.wait_for(begun.wait(), SOON)
            stopping = asyncio.ensure_future(server.stop(SOON))
            await asyncio.sleep(0.05)
            released.set()
            assert (await call).value == "a"
            await stopping
        assert await server.wait_for_termination(SOON) is False

    asyncio.run(run())


def test_invalid_metadata_is_refused(pair: Pair) -> None:
    async def run() -> None:
        async with pair.client.aio.insecure_channel("127.0.0.1:9") as channel:
            call = method(channel, "Upper", "unary_unary")
            with pytest.raises(TypeError):
                await call(text("a"), metadata=((42, "v"),), timeout=SOON)

    asyncio.run(run())
