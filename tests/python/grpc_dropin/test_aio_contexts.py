# SPDX-License-Identifier: MIT
"""Contexts of handlers on servers for asyncio, coroutines and plain functions: their time, and what they are asked too
late."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent import futures
from typing import Any

import pytest

import trunkline.grpc

from .pairs import IMPLEMENTATIONS, SOON
from .test_aio_cancellation import KINDS, soon


@pytest.fixture(params=list(IMPLEMENTATIONS))
def module(request: pytest.FixtureRequest) -> Any:
    """Every implementation of grpcio's interface."""
    return IMPLEMENTATIONS[request.param]


def behavior(kind: str, ask: Callable[[Any], Any], is_plain: bool) -> Callable[..., Any]:
    """A handler that asks its context and responds, once the client has sent all. Otherwise its call might end while
    the client still writes, which grpcio's client reports as an error of its own."""

    def read_all(request: Any) -> None:
        if kind.startswith("stream"):
            assert list(request) in ([], [b"request"])

    async def read_all_in_coroutine(request: Any) -> None:
        if kind.startswith("stream"):
            assert [each async for each in request] in ([], [b"request"])

    def plain_one(request: Any, context: Any) -> bytes:
        read_all(request)
        ask(context)
        return b"response"

    def plain_many(request: Any, context: Any) -> Iterator[bytes]:
        read_all(request)
        ask(context)
        yield b"response"

    async def one(request: Any, context: Any) -> bytes:
        await read_all_in_coroutine(request)
        await ask(context)
        return b"response"

    async def many(request: Any, context: Any) -> AsyncIterator[bytes]:
        await read_all_in_coroutine(request)
        await ask(context)
        yield b"response"

    if kind.endswith("unary"):
        return plain_one if is_plain else one
    return plain_many if is_plain else many


def call_once(
    module: Any,
    kind: str,
    handler: Callable[..., Any],
    timeout: float | None = None,
    until: Callable[[], bool] = lambda: True,
) -> Any:
    """Makes a call of a handler. Returns its responses, or its error. The server is not stopped before ``until()``
    holds: grpcio sends the status of an abort at once, while the handler still runs."""

    async def main() -> Any:
        pool = futures.ThreadPoolExecutor(1)
        server = module.aio.server(pool)
        methods = {"M": getattr(module, f"{kind}_rpc_method_handler")(handler)}
        server.add_generic_rpc_handlers((module.method_handlers_generic_handler("S", methods),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        try:
            async with module.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
                request = iter((b"request",)) if kind.startswith("stream") else b"request"
                call = getattr(channel, kind)("/S/M")(request, timeout=timeout)
                try:
                    return [await soon(call)] if kind.endswith("unary") else [each async for each in call]
                except module.aio.AioRpcError as error:
                    return error
        finally:
            while not until():
                await asyncio.sleep(0.001)
            await asyncio.wrap_future(pool.submit(bool))  # a plain function has ended
            await server.stop(None)

    return asyncio.run(asyncio.wait_for(main(), SOON))


def raised_by(function: Callable[[], Any]) -> str:
    """The name of what a function raises."""
    try:
        function()
    except Exception as error:
        return type(error).__name__
    return ""


async def raised_in(awaitable: Awaitable[Any]) -> str:
    """The name of what is raised when it is awaited."""
    try:
        await awaitable
    except Exception as error:
        return type(error).__name__
    return ""


# --- time ---


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_plain", [False, True])
def test_time_remaining(module: Any, kind: str, is_plain: bool) -> None:
    left: list[Any] = []

    def note(context: Any) -> None:
        left.append(context.time_remaining())

    async def note_in_coroutine(context: Any) -> None:
        note(context)

    handler = behavior(kind, note if is_plain else note_in_coroutine, is_plain)
    for timeout in (None, SOON):
        assert call_once(module, kind, handler, timeout) == [b"response"]

    without, with_deadline = left
    assert without is None and 0 < with_deadline <= SOON + 1


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_plain", [False, True])
def test_time_remaining_that_is_asked_first_after_the_end(module: Any, kind: str, is_plain: bool) -> None:
    contexts: list[Any] = []

    async def keep(context: Any) -> None:
        contexts.append(context)

    handler = behavior(kind, contexts.append if is_plain else keep, is_plain)
    for timeout in (None, SOON):
        assert call_once(module, kind, handler, timeout) == [b"response"]

    without, with_deadline = (context.time_remaining() for context in contexts)
    assert without is None and 0 <= with_deadline <= SOON + 1


# --- too late, and twice ---


@pytest.mark.parametrize("kind", KINDS)
def test_functions_after_the_initial_metadata(module: Any, kind: str) -> None:
    seen: list[str] = []

    async def ask(context: Any) -> None:
        context.set_compression(module.Compression.Gzip)
        await context.send_initial_metadata((("a", "b"),))
        seen.append(await raised_in(context.send_initial_metadata((("a", "b"),))))
        seen.append(raised_by(lambda: context.set_compression(module.Compression.Gzip)))
        context.disable_next_message_compression()
        context.set_trailing_metadata((("c", "d"),))

    assert call_once(module, kind, behavior(kind, ask, False)) == [b"response"]
    assert seen == ["UsageError", "RuntimeError"]


@pytest.mark.parametrize("kind", KINDS)
def test_functions_after_the_initial_metadata_in_plain_functions(module: Any, kind: str) -> None:
    seen: list[str] = []

    def ask(context: Any) -> None:
        context.set_compression(module.Compression.Gzip)
        context.send_initial_metadata((("a", "b"),))
        seen.append(raised_by(lambda: context.send_initial_metadata((("a", "b"),))))
        seen.append(raised_by(lambda: context.set_compression(module.Compression.Gzip)))
        seen.append(raised_by(lambda: context.set_trailing_metadata(5)))
        context.disable_next_message_compression()
        context.set_trailing_metadata((("c", "d"),))

    assert call_once(module, kind, behavior(kind, ask, True)) == [b"response"]
    assert seen == ["UsageError", "RuntimeError", "TypeError"]


@pytest.mark.parametrize("is_plain", [False, True])
def test_functions_after_a_message(module: Any, is_plain: bool) -> None:
    seen: list[str] = []

    async def many(request: Any, context: Any) -> AsyncIterator[bytes]:
        yield b"first"
        seen.append(await raised_in(context.send_initial_metadata(())))
        seen.append(raised_by(lambda: context.set_compression(module.Compression.Gzip)))
        await context.write(b"second")

    def plain_many(request: Any, context: Any) -> Iterator[bytes]:
        yield b"first"
        seen.append(raised_by(lambda: context.send_initial_metadata(())))
        seen.append(raised_by(lambda: context.set_compression(module.Compression.Gzip)))
        yield b"second"

    assert call_once(module, "unary_stream", plain_many if is_plain else many) == [b"first", b"second"]
    if module is trunkline.grpc or not is_plain:  # on its thread grpcio's generator may run ahead of its messages
        assert seen == ["UsageError", "RuntimeError"]


@pytest.mark.parametrize("kind", KINDS)
def test_an_abort_that_the_handler_ignores_ends_its_call(module: Any, kind: str) -> None:
    seen: list[Any] = []

    async def ask(context: Any) -> None:
        context.set_trailing_metadata((("kept", "yes"),))
        seen.append(await raised_in(context.abort(module.StatusCode.ABORTED, "first")))
        seen.append(await raised_in(context.abort(module.StatusCode.NOT_FOUND, "second")))
        seen.append(await raised_in(context.send_initial_metadata(())))
        if kind.endswith("stream"):
            assert await raised_in(context.write(b"late")) == "AbortError"
            assert await raised_in(context.read()) == "AbortError"
        seen.append((context.done(), context.code()))
        context.set_code(module.StatusCode.OK)
        context.set_details("late")
        context.set_compression(module.Compression.Gzip)
        context.set_trailing_metadata((("late", "yes"),))

    error = call_once(module, kind, behavior(kind, ask, False), until=lambda: len(seen) == 4)

    assert (error.code(), error.details()) == (module.StatusCode.ABORTED, "first")
    assert list(error.trailing_metadata()) == [("kept", "yes")]
    assert seen == ["AbortError", "UsageError", "AbortError", (True, module.StatusCode.ABORTED)]


@pytest.mark.parametrize("kind", KINDS)
def test_plain_functions_abort_with_trailing_metadata(module: Any, kind: str) -> None:
    def ask(context: Any) -> None:
        context.abort(module.StatusCode.ABORTED, "no", (("reason", "none"),))

    error = call_once(module, kind, behavior(kind, ask, True))

    assert (error.code(), error.details()) == (module.StatusCode.ABORTED, "no")
    assert list(error.trailing_metadata()) == [("reason", "none")]


def test_an_abort_that_a_plain_function_ignores_ends_its_call(module: Any) -> None:
    seen: list[str] = []

    def ask(context: Any) -> None:
        seen.append(raised_by(lambda: context.abort(module.StatusCode.ABORTED, "first")))
        seen.append(raised_by(lambda: context.abort(module.StatusCode.NOT_FOUND, "second")))
        seen.append(raised_by(lambda: context.send_initial_metadata(())))
        context.set_code(module.StatusCode.OK)

    error = call_once(module, "unary_unary", behavior("unary_unary", ask, True), until=lambda: len(seen) == 3)

    assert (error.code(), error.details()) == (module.StatusCode.ABORTED, "first")
    assert seen == ["AbortError", "UsageError", "AbortError"]


@pytest.mark.parametrize("is_plain", [False, True])
def test_an_abort_without_details_keeps_those_that_are_set(module: Any, is_plain: bool) -> None:
    def set_all(context: Any) -> None:
        context.set_code(module.StatusCode.DATA_LOSS)
        context.set_details("own")
        context.set_trailing_metadata((("a", "b"),))

    def ask(context: Any) -> None:
        set_all(context)
        context.abort(module.StatusCode.ABORTED)

    async def ask_in_coroutine(context: Any) -> None:
        set_all(context)
        await context.abort(module.StatusCode.ABORTED)

    handler = behavior("unary_unary", ask if is_plain else ask_in_coroutine, is_plain)
    error = call_once(module, "unary_unary", handler)

    assert (error.code(), error.details()) == (module.StatusCode.ABORTED, "own")
    assert list(error.trailing_metadata()) == [("a", "b")]


@pytest.mark.parametrize("kind", KINDS)
def test_functions_after_the_end_of_the_call(module: Any, kind: str) -> None:
    contexts: list[Any] = []
    seen: list[str] = []

    async def keep(context: Any) -> None:
        contexts.append(context)

    async def main() -> None:
        server = module.aio.server()
        methods = {"M": getattr(module, f"{kind}_rpc_method_handler")(behavior(kind, keep, False))}
        server.add_generic_rpc_handlers((module.method_handlers_generic_handler("S", methods),))
        port = server.add_insecure_port("127.0.0.1:0")
        await server.start()
        async with module.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
            call = getattr(channel, kind)("/S/M")(iter(()) if kind.startswith("stream") else b"")
            if kind.endswith("unary"):
                await soon(call)
            else:
                assert [each async for each in call] == [b"response"]
            context = contexts[0]
            while not context.done():
                await asyncio.sleep(0)
            seen.append(await raised_in(context.write(b"late")))
            seen.append(await raised_in(context.read()))
            seen.append(await raised_in(context.send_initial_metadata(())))
            seen.append(raised_by(lambda: context.set_compression(module.Compression.Gzip)))
            context.disable_next_message_compression()
            context.set_code(module.StatusCode.NOT_FOUND)
            context.set_details("late")
            context.set_trailing_metadata((("late", "yes"),))
            assert context.time_remaining() is None and context.code() is module.StatusCode.NOT_FOUND
        await server.stop(None)

    asyncio.run(asyncio.wait_for(main(), SOON))
    assert seen == ["UsageError", "UsageError", "UsageError", "RuntimeError"]


# --- the status ---


def test_the_code_is_told_as_it_was_set(module: Any) -> None:
    told: list[Any] = []

    async def ask(context: Any) -> None:
        for code in (module.StatusCode.NOT_FOUND, 5):
            context.set_code(code)
            told.append(context.code())
        context.set_details("nobody")

    error = call_once(module, "unary_unary", behavior("unary_unary", ask, False))

    assert told == [module.StatusCode.NOT_FOUND, 5]
    assert (error.code(), error.details()) == (module.StatusCode.NOT_FOUND, "nobody")


@pytest.mark.parametrize("metadata", [None, 5, {"a": "b"}, (("a", 1),)])
def test_what_is_no_trailing_metadata_is_refused(module: Any, metadata: Any) -> None:
    seen: list[str] = []

    async def ask(context: Any) -> None:
        seen.append(raised_by(lambda: context.set_trailing_metadata(metadata)))

    assert call_once(module, "unary_unary", behavior("unary_unary", ask, False)) == [b"response"]
    assert seen == ["TypeError"]


def test_initial_metadata_may_be_sent_after_wrong_one() -> None:
    """grpcio's call cannot send any after that."""
    module = trunkline.grpc
    seen: list[str] = []

    async def ask(context: Any) -> None:
        seen.append(await raised_in(context.send_initial_metadata((("not a name", "b"),))))
        seen.append(await raised_in(context.send_initial_metadata((("a", "b"),))))

    assert call_once(module, "unary_unary", behavior("unary_unary", ask, False)) == [b"response"]
    assert seen == ["InvalidMetadataError", ""]
