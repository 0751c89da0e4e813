# SPDX-License-Identifier: MIT
"""Classes as services, and what users test them with."""

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
