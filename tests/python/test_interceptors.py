# SPDX-License-Identifier: MIT
"""Interceptors of a blocking channel, around every kind of call."""

from __future__ import annotations

import asyncio
import functools
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import trunkline
from trunkline import aio

from .conftest import Serve
from .interception import Journal, add_methods, refusing, token


@pytest.fixture
def endpoint() -> Iterator[str]:
    with add_methods(trunkline.Server(threads=4)).serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


def test_every_kind_of_call_of_a_channel(endpoint: str) -> None:
    journal = Journal()
    with trunkline.Channel(endpoint, interceptors=[journal]) as channel:
        assert channel.call("double", 1) == 2
        assert channel.submit("double", 2).result(20) == 4
        channel.call_oneway("double", 3)
        assert list(channel.server_stream("count", 2)) == [0, 1]
        assert channel.client_stream("total", [1, 2]) == 3
        assert list(channel.stream("each", int, int).exchange([1])) == [2]
        with pytest.raises(trunkline.InvalidArgument):
            channel.call("double", -1)
        with pytest.raises(trunkline.InvalidArgument):
            list(channel.stream("each", int, int).exchange([-1]))
        with channel.stream("each", int, int) as stream:
            stream.write(1)
    unary = ["> double unary"]
    assert journal.lines == [
        *unary, "< 2", *unary, "< 4", "> double one_way", "< None", "> count server_stream", "< None",
        "> total client_stream", "< None", "> each bidirectional", "< None", *unary, "< InvalidArgument",
        "> each bidirectional", "< InvalidArgument", "> each bidirectional", "< Cancelled",
    ]  # fmt: skip


def test_many_calls_at_once(endpoint: str) -> None:
    journal = Journal()
    with trunkline.Channel(endpoint, interceptors=[journal, token("x")]) as channel:
        assert list(channel.map("double", range(100), window=8)) == [2 * i for i in range(100)]
        assert sorted(channel.as_completed("double", range(100), window=8)) == [(i, 2 * i) for i in range(100)]
        assert len(journal.lines) == 400
        outcomes = list(channel.map("double", [1, -1, 2], return_exceptions=True))
        assert [outcomes[0], type(outcomes[1]), outcomes[2]] == [2, trunkline.InvalidArgument, 4]
        with pytest.raises(trunkline.InvalidArgument):
            list(channel.map("double", [1, -1, 2]))
        with pytest.raises(trunkline.InvalidArgument):
            list(channel.as_completed("double", [-1]))


def test_the_first_is_outermost_and_metadata_arrives(endpoint: str) -> None:
    outer, inner = Journal("outer"), Journal("inner")
    with trunkline.Channel(endpoint, interceptors=[outer, token("a"), token("b"), inner]) as channel:
        response_info = trunkline.ResponseInfo()
        assert channel.call("tokens", metadata={"other": "1", "token": "z"}, response_info=response_info) == ["b"]
        assert response_info.peer == endpoint
    assert outer.lines + inner.lines == [
        "outer> tokens unary", "outer< ['b']", "inner> tokens unary", "inner< ['b']",
    ]  # fmt: skip


def again_with_one(call: trunkline.OutgoingCall) -> Iterator[None]:
    """Sends a refused call once more, with another request."""
    try:
        yield
    except trunkline.InvalidArgument:
        call.request = 1
        yield


def test_a_call_may_be_sent_again(endpoint: str) -> None:
    journal = Journal()
    with trunkline.Channel(endpoint, interceptors=[again_with_one, journal]) as channel:
        assert channel.call("double", -5) == 2
        assert channel.submit("double", -5).result(20) == 2
    assert journal.lines == ["> double unary", "< InvalidArgument", "> double unary", "< 2"] * 2


def test_streams_are_sent_once(endpoint: str) -> None:
    with trunkline.Channel(endpoint, interceptors=[again_with_one]) as channel:
        with pytest.raises(RuntimeError, match="streams are sent once"):
            list(channel.stream("each", int, int).exchange([-1]))


def cached(call: trunkline.OutgoingCall) -> Iterator[None]:
    if call.request == 7:
        call.response = 70
        return
    yield
    call.response += 1


def forgiving(call: trunkline.OutgoingCall) -> Iterator[None]:
    try:
        yield
    except trunkline.InvalidArgument:
        call.response = 0


def swallowing(call: trunkline.OutgoingCall) -> Iterator[None]:
    try:
        yield
    except trunkline.InvalidArgument:
        pass


def translating(call: trunkline.OutgoingCall) -> Iterator[None]:
    try:
        yield
    except trunkline.InvalidArgument as error:
        raise LookupError(call.method) from error


def test_responses_and_errors_may_be_replaced(endpoint: str) -> None:
    with trunkline.Channel(endpoint, interceptors=[cached]) as channel:
        assert channel.call("double", 7) == 70
        assert channel.call("double", 8) == 17
        assert channel.submit("double", 7).result(20) == 70
    with trunkline.Channel(endpoint, interceptors=[forgiving]) as channel:
        assert channel.call("double", -1) == 0
    with trunkline.Channel(endpoint, interceptors=[swallowing]) as channel, pytest.raises(trunkline.InvalidArgument):
        channel.call("double", -1)
    with trunkline.Channel(endpoint, interceptors=[translating]) as channel:
        with pytest.raises(LookupError, match="double"):
            channel.call("double", -1)
        with pytest.raises(LookupError):
            channel.submit("double", -1).result(20)
        with pytest.raises(LookupError):
            list(channel.stream("each", int, int).exchange([-1]))


def silent(call: Any) -> Iterator[None]:
    return
    yield


def test_calls_may_be_refused_before_they_are_sent(endpoint: str) -> None:
    outer = Journal()
    with trunkline.Channel(endpoint, interceptors=[outer, refusing]) as channel:
        with pytest.raises(trunkline.PermissionDenied):
            channel.call("double", 1)
        with pytest.raises(trunkline.PermissionDenied):
            channel.submit("double", 1).result(20)
        with pytest.raises(trunkline.PermissionDenied):
            channel.server_stream("count", 1)
    assert outer.lines[1::2] == ["< PermissionDenied"] * 3
    with trunkline.Channel(endpoint, interceptors=[silent]) as channel:
        with pytest.raises(RuntimeError, match="silent: it ended without a yield"):
            channel.call("double", 1)


def test_interceptors_see_the_cancellation_of_a_future() -> None:
    journal = Journal()
    with trunkline.Channel("tcp://127.0.0.1:1", interceptors=[journal]) as channel:
        future = channel.submit("double", 1, wait_for_ready=True)
        assert future.cancel()
        channel.close()
    assert journal.lines == ["> double unary", "< Cancelled"]


def test_what_cannot_be_an_interceptor() -> None:
    async def coroutine(call: Any) -> None: ...

    async def generator(call: Any) -> AsyncIterator[None]:
        yield

    def plain(call: Any) -> None:
        call.set_metadata("token", "x")

    wrong: Any
    for wrong in (coroutine, plain, functools.partial(plain), lambda call: generator(call), 5):
        for make in (trunkline.Server, aio.Server):
            with pytest.raises(TypeError, match="it has no yield; an interceptor is a generator function"):
                make(interceptors=[wrong])
        for connect in (trunkline.Channel, aio.Channel):
            with pytest.raises(TypeError, match="it has no yield; an interceptor is a generator function"):
                connect("tcp://127.0.0.1:1", interceptors=[wrong])
    with pytest.raises(TypeError, match="needs trunkline.aio"):
        trunkline.Server(interceptors=[generator])


def test_interceptors_within_other_objects(serve: Serve) -> None:
    seen: list[str] = []

    def note(name: str, call: trunkline.OutgoingCall) -> Iterator[None]:
        seen.append(f"{name} {call.method}")
        yield

    @functools.wraps(note)
    def decorated(call: trunkline.OutgoingCall) -> Any:
        return note("decorated", call)

    class Noting:
        def __call__(self, call: trunkline.OutgoingCall) -> Iterator[None]:
            yield from note("object", call)

    server = trunkline.Server(threads=1)
    server.add("double", lambda: 2)
    interceptors: list[Any] = [functools.partial(note, "partial"), decorated, Noting(), Noting().__call__]

    with trunkline.Channel(serve(server).endpoint, interceptors=interceptors) as channel:
        assert channel.call("double") == 2

    assert seen == ["partial double", "decorated double", "object double", "object double"]


@pytest.mark.parametrize("name", ["map", "as_completed"])
def test_metadata_that_can_be_read_once_is_of_every_call(serve: Serve, name: str) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def count(request: int, context: trunkline.Context) -> int:
        return len(context.metadata)

    def through(call: trunkline.OutgoingCall) -> Iterator[None]:
        yield

    with trunkline.Channel(serve(server).endpoint, interceptors=[through]) as channel:
        responses = getattr(channel, name)("count", range(3), int, metadata=((each, "x") for each in "ab"))
        assert [each if name == "map" else each[1] for each in responses] == [2, 2, 2]

    async def main() -> list[int]:
        async with aio.Channel(channel.endpoint, interceptors=[through]) as other:
            reported = getattr(other, name)("count", range(3), int, metadata=((each, "x") for each in "ab"))
            return [each if name == "map" else each[1] async for each in reported]

    assert asyncio.run(main()) == [2, 2, 2]
