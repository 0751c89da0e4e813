# SPDX-License-Identifier: MIT
"""Interceptors of servers, and of asyncio's channels and servers."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio

from .interception import Journal, add_methods, refusing, token


def check_token(call: trunkline.IncomingCall) -> Iterator[None]:
    if call.context.metadata.get("token") != "secret":
        call.context.abort(trunkline.StatusCode.UNAUTHENTICATED, "the token is missing or wrong")
    yield
    call.context.add_trailing_metadata("seen", call.method)


def test_every_kind_of_call_of_a_server() -> None:
    journal = Journal()
    server = add_methods(trunkline.Server(threads=4, interceptors=[journal, check_token]))
    with server.serve("tcp://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, interceptors=[token("secret")]) as channel:
            response_info = trunkline.ResponseInfo()
            assert channel.call("double", 1, response_info=response_info) == 2
            assert response_info.trailing_metadata["seen"] == "double"
            assert list(channel.server_stream("count", 2)) == [0, 1]
            assert channel.client_stream("total", [1, 2]) == 3
            assert list(channel.stream("each", int, int).exchange([1])) == [2]
            with pytest.raises(trunkline.InvalidArgument):
                channel.call("double", -1)
        with trunkline.Channel(running.endpoint) as channel:
            with pytest.raises(trunkline.Unauthenticated):
                channel.call("double", 1)
            with pytest.raises(trunkline.Unauthenticated):
                list(channel.server_stream("count", 2))
    assert journal.lines == [
        "> double unary", "< 2", "> count server_stream", "< None", "> total client_stream", "< None",
        "> each bidirectional", "< None", "> double unary", "< InvalidArgument", "> double unary", "< Unauthenticated",
        "> count server_stream", "< Unauthenticated",
    ]  # fmt: skip


def shaping(call: trunkline.IncomingCall) -> Iterator[None]:
    if call.request == 100:
        call.response = -100
        return
    call.request += 1
    yield
    call.response *= 10


def test_requests_and_responses_of_a_server_may_be_replaced() -> None:
    server = add_methods(trunkline.Server(threads=4, interceptors=[shaping]))
    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        assert channel.call("double", 1) == 40
        assert channel.call("double", 100) == -100
        with pytest.raises(trunkline.InvalidArgument, match="does not decode as int"):
            channel.call("double", "text")


def twice(call: Any) -> Iterator[None]:
    yield
    yield


def test_a_handler_runs_once(caplog: pytest.LogCaptureFixture) -> None:
    server = add_methods(trunkline.Server(threads=4, interceptors=[twice]))
    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with caplog.at_level(logging.ERROR, "trunkline.server"), pytest.raises(trunkline.Internal):
            channel.call("double", 1)
    assert "yields again" in caplog.text


# --- asyncio ---


class AsyncJournal(Journal):
    """A journal whose interceptor is an async generator and waits."""

    async def __call__(self, call: Any) -> AsyncIterator[None]:  # type: ignore[override]
        await asyncio.sleep(0)
        self.lines.append(f"{self.name}> {call.method} {call.kind}")
        try:
            response = yield
        except BaseException as error:
            self.lines.append(f"{self.name}< {type(error).__name__}")
            raise
        await asyncio.sleep(0)
        self.lines.append(f"{self.name}< {response}")


def async_methods(*interceptors: Any) -> aio.Server:
    server = aio.Server(interceptors=interceptors)

    @server.method
    async def double(request: int) -> int:
        if request < 0:
            raise trunkline.InvalidArgument("negative")
        return 2 * request

    @server.method
    def blocking(request: int, context: trunkline.Context) -> int:
        return 3 * request

    @server.method
    def count(request: int) -> Iterator[int]:
        yield from range(request)

    @server.method
    async def total(requests: AsyncIterator[int]) -> int:
        return sum([request async for request in requests])

    @server.method
    async def each(requests: AsyncIterator[int]) -> AsyncIterator[int]:
        async for request in requests:
            yield 2 * request

    @server.method
    async def hang() -> None:
        await asyncio.sleep(60)

    return server


@pytest.mark.parametrize("kind", [Journal, AsyncJournal])
def test_asyncio_both_sides(kind: Callable[[], Journal]) -> None:
    served, called = kind(), kind()

    async def main() -> None:
        async with async_methods(served).serve("tcp://127.0.0.1:0") as running:
            async with aio.Channel(running.endpoint, interceptors=[called]) as channel:
                assert await channel.call("double", 1) == 2
                assert await channel.call("blocking", 1) == 3
                assert [left async for left in channel.server_stream("count", 2)] == [0, 1]
                assert await channel.client_stream("total", [1, 2]) == 3
                assert [one async for one in channel.stream("each", int, int).exchange([1])] == [2]
                with pytest.raises(trunkline.InvalidArgument):
                    await channel.call("double", -1)
                hanging = asyncio.ensure_future(channel.call("hang"))
                while "> hang unary" not in str(served.lines):
                    await asyncio.sleep(0.001)
                hanging.cancel()
                with pytest.raises(asyncio.CancelledError):
                    await hanging
                while "< CancelledError" not in str(served.lines):
                    await asyncio.sleep(0.001)
                assert [one async for one in channel.map("double", range(20), window=4)] == list(range(0, 40, 2))

    asyncio.run(main())
    common = [
        "> double unary", "< 2", "> blocking unary", "< 3", "> count server_stream", "< None",
        "> total client_stream", "< None", "> each bidirectional", "< None", "> double unary", "< InvalidArgument",
        "> hang unary",
    ]  # fmt: skip
    assert called.lines[:14] == [*common, "< CancelledError"]
    assert served.lines[:13] == common
    assert served.lines.count("< CancelledError") == 1
    assert len(called.lines) == len(served.lines) == 14 + 40


def test_asyncio_streams_that_are_cancelled_or_refused() -> None:
    journal = Journal()

    async def main() -> None:
        async with async_methods().serve("tcp://127.0.0.1:0") as running:
            async with aio.Channel(running.endpoint, interceptors=[journal]) as channel:
                async with channel.stream("each", int, int) as stream:
                    await stream.write(1)
                unused = channel.stream("each", int, int)
                unused.cancel()
                with pytest.raises(trunkline.Cancelled):
                    await unused.read()
            async with aio.Channel(running.endpoint, interceptors=[refusing]) as channel:
                stream = channel.stream("each", int, int)
                for _ in range(2):
                    with pytest.raises(trunkline.PermissionDenied):
                        await stream.read()

    asyncio.run(main())
    assert journal.lines == ["> each bidirectional", "< Cancelled"]
