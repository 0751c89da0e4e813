# SPDX-License-Identifier: MIT
"""Client interceptors for asyncio: those that raise, those of several kinds, and those that a channel is given late."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import trunkline.grpc

from .pairs import IMPLEMENTATIONS
from .test_aio_cancellation import KINDS, WITH_REQUESTS, begun, calling, interceptor, passing, run, soon


@pytest.fixture(params=list(IMPLEMENTATIONS))
def module(request: pytest.FixtureRequest) -> Any:
    """Every implementation of grpcio's interface."""
    return IMPLEMENTATIONS[request.param]


async def response_of(call: Any, kind: str) -> Any:
    return await call if kind.endswith("unary") else await call.read()


# --- interceptors that raise ---


class OwnError(Exception):
    pass


@pytest.mark.parametrize("kind", WITH_REQUESTS)
@pytest.mark.parametrize("first", ["write", "done_writing", "response"])
@pytest.mark.parametrize("begins", [False, True])
def test_an_exception_of_an_interceptor_reaches_writers(module: Any, kind: str, first: str, begins: bool) -> None:
    async def raising(continuation: Any, details: Any, requests: Any) -> Any:
        if begins:
            await continuation(details, requests)
        await asyncio.sleep(0)
        raise OwnError

    async def scenario() -> None:
        async with module.aio.insecure_channel(
            "127.0.0.1:1", interceptors=[interceptor(module, kind, raising)]
        ) as channel:
            call = begun(channel, kind)
            steps = {
                "write": lambda: call.write(b""),
                "done_writing": call.done_writing,
                "response": lambda: response_of(call, kind),
            }
            for step in (first, "write", "write", "done_writing", "done_writing"):
                with pytest.raises(OwnError):
                    await soon(steps[step]())
            assert call.done() and not call.cancelled()

    run(scenario())


@pytest.mark.parametrize("kind", WITH_REQUESTS)
def test_writes_after_an_interceptor_has_raised_an_rpc_error(module: Any, kind: str) -> None:
    aio = module.aio

    async def refusing(continuation: Any, details: Any, requests: Any) -> Any:
        raise aio.AioRpcError(module.StatusCode.NOT_FOUND, aio.Metadata(), aio.Metadata(), "nobody")

    async def scenario() -> None:
        async with aio.insecure_channel("127.0.0.1:1", interceptors=[interceptor(module, kind, refusing)]) as channel:
            call = begun(channel, kind)
            for _ in range(2):
                with pytest.raises(asyncio.InvalidStateError, match="RPC already finished."):
                    await soon(call.write(b""))
                with pytest.raises(aio.AioRpcError, match="NOT_FOUND"):
                    await soon(call.done_writing())
            assert await soon(call.code()) is module.StatusCode.NOT_FOUND

    run(scenario())


@pytest.mark.parametrize("kind", WITH_REQUESTS)
def test_writes_after_an_interceptor_was_cancelled(module: Any, kind: str) -> None:
    async def giving_up(continuation: Any, details: Any, requests: Any) -> Any:
        raise asyncio.CancelledError

    async def scenario() -> None:
        async with module.aio.insecure_channel(
            "127.0.0.1:1", interceptors=[interceptor(module, kind, giving_up)]
        ) as channel:
            call = begun(channel, kind)
            for _ in range(2):
                with pytest.raises(asyncio.InvalidStateError):
                    await soon(call.write(b""))
                with pytest.raises(asyncio.InvalidStateError):
                    await soon(call.done_writing())

    run(scenario())


@pytest.mark.parametrize("kind", WITH_REQUESTS)
def test_interceptors_may_take_requests_before_they_make_a_call(kind: str) -> None:
    """In grpcio they wait for ever, as the requests begin when the interceptors have ended."""
    module = trunkline.grpc
    taken: list[bytes] = []

    async def counting(continuation: Any, details: Any, requests: Any) -> Any:
        async for request in requests:
            taken.append(request)
        return await continuation(details, iter(taken))

    async def scenario() -> None:
        async with calling(module, kind, [interceptor(module, kind, counting)]) as served:
            for each in (b"1", b"2", b"3"):
                await soon(served.call.write(each))
            await soon(served.call.done_writing())
            served.let_go.set()
            assert await soon(response_of(served.call, kind)) == b"over" and taken == [b"1", b"2", b"3"]

    run(scenario())


# --- interceptors that respond ---


def test_a_response_of_an_interceptor_has_the_status_ok_and_no_text(module: Any) -> None:
    async def responding(continuation: Any, details: Any, request: Any) -> Any:
        return b"own"

    async def scenario() -> None:
        interceptors = [interceptor(module, "unary_unary", responding)]
        async with module.aio.insecure_channel("127.0.0.1:1", interceptors=interceptors) as channel:
            call = begun(channel, "unary_unary")
            assert await soon(call) == b"own" and call.done() and not call.cancelled() and not call.cancel()
            assert (await call.code(), await call.details()) == (module.StatusCode.OK, "")
            assert await call.debug_error_string() is None
            assert await call.initial_metadata() is None and await call.trailing_metadata() is None

    run(scenario())


# --- interceptors of several kinds ---


def noting(module: Any, seen: list[str], kinds: Any) -> Any:
    """An interceptor for several kinds of calls, which notes the kind of each call."""
    bases = tuple(getattr(module.aio, f"{kind.title().replace('_', '')}ClientInterceptor") for kind in kinds)

    def noting_kind(kind: str) -> Any:
        async def intercept(self: Any, continuation: Any, details: Any, request: Any) -> Any:
            seen.append(kind)
            return await continuation(details, request)

        return intercept

    return type("Noting", bases, {f"intercept_{kind}": noting_kind(kind) for kind in kinds})()


@pytest.mark.parametrize("kinds", [KINDS, KINDS[1:], KINDS[2:], tuple(reversed(KINDS)), (KINDS[3], KINDS[1])])
def test_an_interceptor_of_several_kinds_counts_for_the_first(module: Any, kinds: tuple[str, ...]) -> None:
    seen: list[str] = []

    async def scenario() -> None:
        for kind in KINDS:
            async with calling(module, kind, [noting(module, seen, kinds)]) as served:
                served.let_go.set()
                if kind.startswith("stream"):
                    await soon(served.call.done_writing())
                assert await soon(response_of(served.call, kind)) == b"over"

    run(scenario())
    assert seen == [next(kind for kind in KINDS if kind in kinds)]


def test_what_is_no_interceptor_is_refused(module: Any) -> None:
    async def scenario() -> None:
        with pytest.raises(ValueError, match="UnaryUnaryClientInterceptor"):
            module.aio.insecure_channel("127.0.0.1:1", interceptors=[object()])

    run(scenario())


# --- interceptors that a channel is given late ---


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("with_first", [False, True])
def test_interceptors_may_be_added_to_a_channel(module: Any, kind: str, with_first: bool) -> None:
    """Google's clients for asyncio add theirs to these lists. Methods that were made before have them, too."""
    seen: list[str] = []

    def named(name: str) -> Any:
        async def note(continuation: Any, details: Any, request: Any) -> Any:
            seen.append(name)
            return await passing(continuation, details, request)

        return interceptor(module, kind, note)

    async def finished(call: Any) -> None:
        if kind.startswith("stream"):
            await soon(call.done_writing())
        assert await soon(response_of(call, kind)) == b"over"

    async def scenario() -> None:
        async with calling(module, kind, [named("first")] if with_first else None) as served:
            served.let_go.set()
            early = getattr(served.channel, kind)("/S/M")
            await finished(served.call)
            lists = {each: getattr(served.channel, f"_{each}_interceptors") for each in KINDS}
            assert [len(lists[each]) for each in KINDS] == [int(with_first and each == kind) for each in KINDS]
            seen.clear()

            lists[kind].append(named("added"))

            for method in (early, getattr(served.channel, kind)("/S/M")):
                await finished(method() if kind.startswith("stream") else method(b""))
            expected = ["first", "added"] if with_first else ["added"]
            assert seen == expected * 2

    run(scenario())
