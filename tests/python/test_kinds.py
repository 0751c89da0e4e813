# SPDX-License-Identifier: MIT
"""Calls of another kind than their method: no message is lost silently."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing


def add_methods(server: Any, *, is_async: bool) -> Any:
    def double(request: int) -> int:
        return 2 * request

    def count(request: int) -> Iterator[int]:
        yield from range(request)

    def add(requests: Iterator[int]) -> int:
        return sum(requests)

    async def count_async(request: int) -> AsyncIterator[int]:
        for number in range(request):
            yield number

    server.add("double", double)
    server.add("count", count_async if is_async else count)
    server.add("add", add)
    return server


@pytest.fixture(params=[False, True], ids=["threads", "asyncio"])
def channel(request: pytest.FixtureRequest) -> Iterator[trunkline.Channel]:
    server: Any = aio.Server(threads=2) if request.param else trunkline.Server(threads=2)
    with testing.serve(add_methods(server, is_async=request.param)) as channel:
        yield channel


def test_a_stream_of_requests_to_a_server_stream(channel: trunkline.Channel) -> None:
    text = "call count: the method is server_stream, and was called with a stream of requests"

    with pytest.raises(trunkline.Unimplemented, match=text):
        channel.client_stream("count", [3, 4], int)
    with pytest.raises(trunkline.Unimplemented, match=text):
        list(channel.stream("count", int, int).exchange([3, 4]))
    assert list(channel.stream("count", int, int).exchange([3])) == [0, 1, 2]
    assert list(channel.server_stream("count", 3, int)) == [0, 1, 2]


def test_a_stream_of_one_request_has_one_response(channel: trunkline.Channel) -> None:
    assert channel.call("add", 3, int) == 3
    assert channel.client_stream("double", [3], int) == 6


def test_a_stream_of_requests_has_neither_no_response_nor_several(channel: trunkline.Channel) -> None:
    async def ask(number: int) -> int:
        async with aio.Channel(channel.endpoint) as other:
            return await other.client_stream("count", [number], int)

    assert channel.client_stream("count", [1], int) == 0
    assert asyncio.run(ask(1)) == 0
    for number, text in ((0, "the server sent no response"), (3, "the server sent several responses")):
        with pytest.raises(trunkline.Unimplemented, match=text):
            channel.client_stream("count", [number], int)
        with pytest.raises(trunkline.Unimplemented, match=text):
            asyncio.run(ask(number))


def test_a_stream_of_requests_to_a_unary_method(channel: trunkline.Channel) -> None:
    text = "call double: the method is unary, and was called with a stream of requests"

    with pytest.raises(trunkline.Unimplemented, match=text):
        channel.client_stream("double", [3, 4], int)
    with pytest.raises(trunkline.Unimplemented, match=text):
        list(channel.stream("double", int, int).exchange([3, 4]))


UNARY = "call count: the method sends a stream of responses, and was called as a unary method"


def test_a_unary_call_of_a_stream_does_not_return_its_first_item(channel: trunkline.Channel) -> None:
    with pytest.raises(trunkline.Unimplemented, match=UNARY):
        channel.call("count", 3, int)
    with pytest.raises(trunkline.Unimplemented, match=UNARY):
        channel.submit("count", 3, int).result(20)
    with pytest.raises(trunkline.Unimplemented, match=UNARY):
        list(channel.map("count", [3], int))
    assert channel.call("count", 1, int) == 0  # nothing is lost

    async def ask() -> None:
        async with aio.Channel(channel.endpoint) as other:
            with pytest.raises(trunkline.Unimplemented, match=UNARY):
                await other.call("count", 3, int)

    asyncio.run(ask())
