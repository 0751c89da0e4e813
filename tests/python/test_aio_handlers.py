# SPDX-License-Identifier: MIT
"""Handlers of aio.Server: their exceptions, and decorated handlers."""

from __future__ import annotations

import asyncio
import functools
import logging
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing


class Custom(BaseException):
    """An exception that is neither an Exception nor built into Python."""


@pytest.mark.parametrize("is_plain", [False, True])
@pytest.mark.parametrize("intercepted", [False, True])
@pytest.mark.parametrize("kind", [ValueError, GeneratorExit, StopIteration, StopAsyncIteration, Custom])
def test_other_exceptions_are_internal_and_logged(
    caplog: pytest.LogCaptureFixture, kind: type[BaseException], is_plain: bool, intercepted: bool
) -> None:
    def interceptor(call: trunkline.IncomingCall) -> Iterator[None]:
        yield

    server = aio.Server(threads=1, interceptors=[interceptor] if intercepted else [])

    def plain(request: int) -> int:
        raise kind("the secret")

    async def coroutine(request: int) -> int:
        raise kind("the secret")

    def plain_total(requests: Iterator[int]) -> int:
        raise kind("the secret")

    async def coroutine_total(requests: AsyncIterator[int]) -> int:
        raise kind("the secret")

    server.add("fail", plain if is_plain else coroutine)
    server.add("fail_total", plain_total if is_plain else coroutine_total)
    server.add("fine", lambda: 7)

    async def main() -> None:
        unhandled: list[Any] = []
        asyncio.get_running_loop().set_exception_handler(lambda loop, context: unhandled.append(context))
        async with testing.aserve(server) as channel:
            for call in (channel.call("fail", 1), channel.client_stream("fail_total", [1])):
                with pytest.raises(trunkline.Internal) as caught:
                    await asyncio.wait_for(call, 20)
                assert "secret" not in str(caught.value)
            assert await channel.call("fine") == 7
        assert not unhandled

    with caplog.at_level(logging.ERROR):
        asyncio.run(main())
    records = [record for record in caplog.records if "fail" in record.getMessage()]
    assert len(records) == 2 and "never retrieved" not in caplog.text
    for record in records:
        assert record.exc_info is not None and record.exc_info[1] is not None
        error = record.exc_info[1]
        assert isinstance(error, kind) or isinstance(error.__cause__, kind)


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_the_exit_of_a_plain_function_is_not_the_loops(
    caplog: pytest.LogCaptureFixture, kind: type[BaseException]
) -> None:
    seen: list[BaseException] = []

    def interceptor(call: trunkline.IncomingCall) -> Iterator[None]:
        try:
            yield
        except BaseException as error:
            seen.append(error)
            raise

    async def main(server: aio.Server) -> None:
        @server.method
        def leave() -> int:
            raise kind

        @server.method
        def leave_stream() -> Iterator[int]:
            raise kind
            yield 1

        async with testing.aserve(server) as channel:
            with pytest.raises(trunkline.Internal):
                await channel.call("leave")
            with pytest.raises(trunkline.Internal):
                await channel.server_stream("leave_stream").read()
            assert channel.state == "ready"

    asyncio.run(main(aio.Server(threads=1)))
    asyncio.run(main(aio.Server(threads=1, interceptors=[interceptor])))
    assert caplog.text.count(f"{kind.__name__} raised on a worker thread") >= 4
    assert [type(error.__cause__) for error in seen] == [kind] * 2


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt])
def test_the_exit_of_a_coroutine_is_the_loops(kind: type[BaseException]) -> None:
    server = aio.Server(threads=1)

    @server.method
    async def leave() -> int:
        raise kind

    async def main() -> None:
        async with testing.aserve(server) as channel:
            await channel.call("leave")

    with pytest.raises(kind):
        asyncio.run(main())


Handler = Callable[[int], Coroutine[Any, Any, int]]


def logged(function: Handler) -> Handler:
    @functools.wraps(function)
    def call(request: int) -> Coroutine[Any, Any, int]:
        return function(request)

    return call


async def times(factor: int, request: int) -> int:
    return factor * request


@logged
async def twice(request: int) -> int:
    return 2 * request


def numbers(request: int) -> AsyncIterator[int]:
    """Returns a generator without being a generator function."""

    async def count() -> AsyncIterator[int]:
        for number in range(request):
            yield number

    return count()


@pytest.mark.parametrize("intercepted", [False, True])
def test_wrapped_coroutines(intercepted: bool) -> None:
    def interceptor(call: trunkline.IncomingCall) -> Iterator[None]:
        yield

    server = aio.Server(threads=1, interceptors=[interceptor] if intercepted else [])
    server.method(functools.partial(times, 3))
    server.method("four_times")(functools.partial(functools.partial(times), 4))
    server.method(twice)
    server.add("numbers", numbers)

    async def main() -> None:
        async with testing.aserve(server) as channel:
            assert [await channel.call(name, 7, int) for name in ("times", "four_times", "twice")] == [21, 28, 14]
            assert [number async for number in channel.server_stream("numbers", 3, int)] == [0, 1, 2]
            with pytest.raises(trunkline.InvalidArgument, match="as int"):  # the hints beneath count
                await channel.call("times", "7")

    asyncio.run(main())


def test_partial_functions_of_a_blocking_server() -> None:
    def power(exponent: int, base: int) -> int:
        return int(base**exponent)

    server = trunkline.Server(threads=1)
    server.method(functools.partial(power, 2))

    with pytest.raises(TypeError, match="async handler"):
        server.method(functools.partial(times, 3))
    nameless: Any = type("Callable", (), {"__call__": lambda self, request: request})()
    with pytest.raises(TypeError, match="has no name"):
        server.method(nameless)
    with testing.serve(server) as channel:
        assert channel.call("power", 5, int) == 25
        with pytest.raises(trunkline.InvalidArgument, match="as int"):
            channel.call("power", "ab")
