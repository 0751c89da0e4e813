# SPDX-License-Identifier: MIT
"""Classes as services, and trunkline.testing for them."""

from __future__ import annotations

import asyncio
import dataclasses
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import testing


@dataclasses.dataclass
class Pair:
    a: int
    b: int


class Calculator:
    """Adds."""

    __trunkline_service__ = "example.Calculator"

    def add(self, request: Pair) -> int:
        return request.a + request.b

    def where(self, context: trunkline.Context) -> str:
        return context.method

    def reset(self) -> None:
        return None

    def count(self, request: int) -> Iterator[int]:
        yield from range(request)

    def total(self, requests: Iterator[int]) -> int:
        return sum(requests)

    def double(self, requests: Iterator[int]) -> Iterator[int]:
        for request in requests:
            yield 2 * request

    def _private(self) -> None: ...


class AsyncCalculator:
    async def add(self, request: Pair) -> int:
        return request.a + request.b

    async def count(self, request: int) -> AsyncIterator[int]:
        for i in range(request):
            yield i

    async def double(self, requests: AsyncIterator[int]) -> AsyncIterator[int]:
        async for request in requests:
            yield 2 * request


def test_a_bound_class() -> None:
    with testing.serve(Calculator()) as channel:
        client = channel.bind(Calculator)

        assert client.add(Pair(1, 2)) == 3
        assert client.where() == "example.Calculator/where"  # type: ignore[call-arg]
        client.reset()
        assert list(client.count(4)) == [0, 1, 2, 3]
        assert client.total(iter([1, 2, 3])) == 6
        assert list(client.double(iter([1, 2, 3]))) == [2, 4, 6]
        assert channel.call("example.Calculator/add", {"a": 1, "b": 2}, int) == 3
        assert not hasattr(client, "_private")


def test_a_bound_class_takes_call_options() -> None:
    with testing.serve(Calculator) as channel:
        with pytest.raises(ValueError, match="timeout"):
            channel.bind(Calculator).add(Pair(1, 2), timeout=-1.0)  # type: ignore[call-arg]


def test_what_the_requests_of_an_exchange_raise_comes_through() -> None:
    def requests() -> Iterator[int]:
        yield 1
        raise LookupError("no more")

    with testing.serve(Calculator) as channel, pytest.raises(LookupError, match="no more"):
        list(channel.bind(Calculator).double(requests()))


def test_a_class_without_methods_is_no_service() -> None:
    class Nothing: ...

    with pytest.raises(TypeError, match="no public methods"):
        trunkline.Server(threads=1).add_service(Nothing)


class Base:
    def close(self) -> None: ...

    def helper(self, one: int, other: int) -> int:
        return one + other


class Chosen(Base):
    __trunkline_methods__ = ("add",)

    def add(self, number: int = 4) -> int:
        return number + 1

    def none(self) -> int:
        return 1


def test_a_class_may_name_its_methods() -> None:
    with testing.serve(Chosen) as channel:
        assert channel.bind(Chosen).add(1) == 2
        for name in ("close", "none"):
            with pytest.raises(trunkline.Unimplemented):
                channel.call(f"Chosen/{name}")
            assert not hasattr(channel.bind(Chosen), name)


def test_a_helper_that_cannot_be_served_is_named_with_the_way_out() -> None:
    class Service(Base):
        def add(self, number: int) -> int:
            return number

    class Misspelt(Base):
        __trunkline_methods__ = ("ad",)

    with pytest.raises(TypeError, match="helper: its parameter 'other'.*__trunkline_methods__"):
        trunkline.Server().add_service(Service)
    with pytest.raises(TypeError, match="lists 'ad', which is not a method"):
        trunkline.Server().add_service(Misspelt)


def test_bound_functions_take_what_those_of_the_class_take() -> None:
    class Service:
        def add(self, number: int) -> int:
            return number + 1

        def none(self) -> int:
            return 1

        def usual(self, number: int = 4) -> int:
            return number

        def nothing(self, request: None) -> int:
            return 2

        def total(self, numbers: Iterator[int]) -> int:
            return sum(numbers)

    with testing.serve(Service) as channel:
        client: Any = channel.bind(Service)
        for use in (client.add, client.total):
            with pytest.raises(TypeError, match="needs its request, named 'number"):
                use()
        with pytest.raises(TypeError, match="takes no request"):
            client.none(5)
        with pytest.raises(TypeError, match="takes one request"):
            client.add(1, 2)
        assert (client.none(), client.usual(), client.usual(5)) == (1, 4, 5)
        assert (client.nothing(), client.add(number=2)) == (2, 3)


def test_classes_bound_to_the_other_kind_of_channel() -> None:
    async def main() -> None:
        async with testing.aserve(Calculator) as channel:
            client: Any = channel.bind(Calculator)
            assert await client.add(Pair(1, 2)) == 3
            assert [number async for number in client.count(3)] == [0, 1, 2]

    asyncio.run(main())
    with (
        testing.serve(Calculator) as channel,
        pytest.raises(TypeError, match="bind AsyncCalculator: add is a coroutine function"),
    ):
        channel.bind(AsyncCalculator)


def test_a_bound_async_class() -> None:
    async def numbers() -> AsyncIterator[int]:
        for i in range(5):
            yield i

    async def main() -> None:
        async with testing.aserve(AsyncCalculator) as channel:
            client = channel.bind(AsyncCalculator)
            assert await client.add(Pair(1, 2)) == 3
            assert [m async for m in client.count(3)] == [0, 1, 2]
            assert [m async for m in client.double(numbers())] == [0, 2, 4, 6, 8]

    asyncio.run(main())
