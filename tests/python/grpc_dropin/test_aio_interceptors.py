# SPDX-License-Identifier: MIT
"""Client interceptors for asyncio: those of several kinds, and those that a channel is given late."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from .pairs import IMPLEMENTATIONS
from .test_aio_cancellation import KINDS, calling, interceptor, passing, run, soon


@pytest.fixture(params=list(IMPLEMENTATIONS))
def module(request: pytest.FixtureRequest) -> Any:
    """Every implementation of grpcio's interface."""
    return IMPLEMENTATIONS[request.param]


async def response_of(call: Any, kind: str) -> Any:
    return await call if kind.endswith("unary") else await call.read()


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
