# SPDX-License-Identifier: MIT
"""Types of correct programs. mypy and pyright check this file, and it runs too. Wrong uses are in
test_typed_program."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Iterator
from typing import Any, Optional, Protocol

import pytest
import trunkline
from trunkline import aio, testing
from typing_extensions import assert_type


class Greeter:
    def greet(self, name: str) -> str:
        return f"hello, {name}"

    def left(self, timeout: float, context: trunkline.Context) -> float:
        """Takes a request whose name is also that of an option."""
        return (context.time_left() or 0.0) + timeout

    def spell(self, word: str) -> Iterator[str]:
        yield from word

    def join(self, words: Iterator[str]) -> str:
        return "".join(words)

    def lengths(self, words: Iterator[str]) -> Iterator[int]:
        return map(len, words)


def test_blocking() -> None:
    with testing.serve(Greeter) as channel:
        assert_type(channel.call("Greeter/greet", "a", str), str)
        assert_type(channel.call("Greeter/greet", "a"), Any)
        assert_type(channel.call("Greeter/greet", "a", Optional[str], timeout=9.0), Any)
        future = channel.submit("Greeter/greet", "a", str)
        assert_type(future, trunkline.CallFuture[str])
        assert_type(future.result(20), str)
        assert_type(channel.map("Greeter/greet", ["a"], str), Iterator[str])
        assert_type(channel.map("Greeter/greet", ["a"], str, return_exceptions=True), Iterator[Any])
        assert_type(channel.as_completed("Greeter/greet", ["a"], str), Iterator[tuple[int, str]])
        assert_type(channel.client_stream("Greeter/join", ["a"], str), str)
        with channel.stream("Greeter/lengths", str, int) as stream:
            assert_type(stream, trunkline.ClientStream[str, int])
            stream.write("abc")
            assert_type(stream.read(), int)
            assert_type(list(stream.exchange(["a"])), list[int])
        with channel.server_stream("Greeter/spell", "abc", str) as spelt:
            assert_type(spelt, trunkline.ClientStream[Any, str])
            assert_type([letter for letter in spelt], list[str])


def test_asyncio() -> None:
    async def main() -> None:
        async with testing.aserve(Greeter) as channel:
            assert_type(await channel.call("Greeter/greet", "a", str), str)
            assert_type(channel.map("Greeter/greet", ["a"], str), AsyncGenerator[str, None])
            assert_type(channel.as_completed("Greeter/greet", ["a"], str), AsyncGenerator[tuple[int, str], None])
            assert_type(await channel.submit("Greeter/greet", "a", str), str)
            assert_type(await channel.client_stream("Greeter/join", ["a"], str), str)
            async with channel.stream("Greeter/lengths", str, int) as stream:
                assert_type(stream, aio.ClientStream[str, int])
                await stream.write("abc")
                assert_type(await stream.read(), int)
                assert_type([each async for each in stream.exchange(["a"])], list[int])
            async with channel.server_stream("Greeter/spell", "abc", str) as spelt:
                assert_type(spelt, aio.ClientStream[Any, str])
                assert_type([letter async for letter in spelt], list[str])

    asyncio.run(main())


class AsyncGreeter(Protocol):
    """The functions of a Greeter as an aio.Channel has them."""

    async def greet(self, name: str) -> str: ...
    def spell(self, word: str) -> AsyncIterator[str]: ...


class OtherGreeter(AsyncGreeter, Protocol):
    async def leave(self) -> None: ...


def test_a_plain_class_bound_to_an_aio_channel() -> None:
    async def main() -> None:
        async with testing.aserve(Greeter) as channel:
            assert_type(channel.bind(Greeter), Greeter)
            client = channel.bind(Greeter, interface=AsyncGreeter, timeout=60.0)
            assert_type(client, AsyncGreeter)
            greeting = await client.greet(name="a")
            assert_type(greeting, str)
            assert greeting == "hello, a"
            letters = [letter async for letter in client.spell("abc")]
            assert_type(letters, list[str])
            assert letters == ["a", "b", "c"]
            with pytest.raises(TypeError, match="bind Greeter: it has no leave of OtherGreeter"):
                channel.bind(Greeter, interface=OtherGreeter)

    asyncio.run(main())


def test_a_bound_class_takes_names_and_options() -> None:
    with testing.serve(Greeter) as channel:
        client = channel.bind(Greeter, timeout=60.0, idempotent=True, metadata={"a": "b"})
        assert_type(client, Greeter)
        assert_type(client.greet(name="a"), str)

        assert client.greet(name="a") == client.greet("a") == "hello, a"
        assert 0 < client.left(0.0) <= 60  # type: ignore[call-arg]
        assert 900 < client.left(0.0, timeout=1000.0) <= 1000  # type: ignore[call-arg, misc]
        assert list(client.spell(word="abc")) == ["a", "b", "c"]
        assert client.join(words=iter(["a", "b"])) == "ab"
        with pytest.raises(TypeError, match="greet.. takes one request, named 'name'"):
            client.greet("a", name="b")  # type: ignore[misc]
        with pytest.raises(TypeError, match="nam"):
            client.greet(nam="b")  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="timeout"), testing.serve(Greeter) as channel:
        channel.bind(Greeter, timeout=-1.0).greet("a")


def test_many_calls_of_an_aio_channel() -> None:
    begun: list[int] = []
    #: Of requests that wait until they are let go on.
    gates: dict[int, asyncio.Event] = {}
    server = aio.Server(threads=1)

    @server.method
    async def wait(request: int) -> int:
        begun.append(request)
        if request in gates:
            await gates[request].wait()
        else:
            await asyncio.sleep(request / 1000)
        if request == 13:
            raise trunkline.OutOfRange("unlucky")
        return request

    def interceptor(call: trunkline.OutgoingCall) -> Iterator[None]:
        yield

    async def main() -> None:
        async with server.serve("tcp://127.0.0.1:0") as running:
            for interceptors in ([], [interceptor]):
                async with aio.Channel(running.endpoint, interceptors=interceptors) as channel:
                    await play(channel)

    async def play(channel: aio.Channel) -> None:
        gates.update({100: asyncio.Event(), 300: asyncio.Event()})
        ended = []
        async for each in channel.as_completed("wait", [300, 0, 100], int):
            ended.append(each)
            for gate in [gate for gate in gates.values() if not gate.is_set()][:1]:
                gate.set()
        assert ended == [(1, 0), (2, 100), (0, 300)]
        outcomes = dict([each async for each in channel.as_completed("wait", [13, 1], int, return_exceptions=True)])
        assert (type(outcomes[0]), outcomes[1]) == (trunkline.OutOfRange, 1)
        with pytest.raises(trunkline.OutOfRange):
            [each async for each in channel.as_completed("wait", [13], int, window=1)]
        assert len([each async for each in channel.as_completed("wait", [0] * 50, int, window=3)]) == 50
        task = channel.submit("wait", 5, int)
        assert isinstance(task, asyncio.Task) and await task == 5
        begun.clear()
        task = channel.submit("wait", 30_000)
        while not begun:
            await asyncio.sleep(0.001)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(main())
