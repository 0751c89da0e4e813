# SPDX-License-Identifier: MIT
"""trunkline.testing: the script of a fake, its records, and its checks. Faults are in test_testing_faults."""

from __future__ import annotations

import asyncio
import dataclasses
import time
from collections.abc import AsyncIterator, Iterator
from functools import partial
from typing import Any

import pytest
import trunkline
from trunkline import aio, testing
from trunkline.testing import Fake, FakeResponse, Pause

pytest_plugins = ["pytester"]


@dataclasses.dataclass
class User:
    name: str


class Users:
    def get(self, number: int) -> User:
        raise NotImplementedError

    def list(self, prefix: str) -> Iterator[User]:
        raise NotImplementedError

    def add(self, users: Iterator[User]) -> int:
        raise NotImplementedError

    def talk(self, users: Iterator[User]) -> Iterator[str]:
        raise NotImplementedError


class AsyncGreeter:
    async def greet(self, name: str) -> str:
        await asyncio.sleep(0)
        return f"hello, {name}"


def test_responses_come_in_order_and_the_last_one_repeats() -> None:
    fake = Fake()
    fake.on("Users/get", {"name": "Ann"}, trunkline.NotFound("no more"), lambda request: {"name": str(request)})

    with fake.serve() as channel:
        assert channel.call("Users/get", 1) == {"name": "Ann"}
        with pytest.raises(trunkline.NotFound, match="no more"):
            channel.call("Users/get", 2)
        assert channel.call("Users/get", 3) == {"name": "3"}
        assert channel.call("Users/get", 4) == {"name": "4"}
        fake.on("Users/get", {"name": "Zoe"})
        assert channel.call("Users/get", 5) == {"name": "Zoe"}

    assert fake.requests("Users/get") == [1, 2, 3, 4, 5]


def test_a_status_has_its_details_and_metadata() -> None:
    error = trunkline.NotFound("gone", details=[("type.x/Y", b"\x01")], trailing_metadata={"why": "moved"})
    fake = Fake().on("get", FakeResponse(error, leading_metadata={"from": "a"}, trailing_metadata={"cost": "3"}))

    with fake.serve() as channel, pytest.raises(trunkline.NotFound, match="gone") as raised:
        channel.call("get", 1)

    assert [(detail.type_url, detail.value) for detail in raised.value.details()] == [("type.x/Y", b"\x01")]
    assert raised.value.leading_metadata["from"] == "a"
    assert raised.value.trailing_metadata["why"] == "moved"
    assert raised.value.trailing_metadata["cost"] == "3"
    assert raised.value.origin == trunkline.Origin.PEER


def test_a_response_has_metadata() -> None:
    fake = Fake().on(
        "get", FakeResponse("x", leading_metadata=[("a", "1"), ("a", "2")], trailing_metadata={"b-bin": b"\0"})
    )
    response_info = trunkline.ResponseInfo()

    with fake.serve() as channel:
        assert channel.call("get", 1, response_info=response_info) == "x"

    assert response_info.leading_metadata.get_all("a") == ["1", "2"]
    assert response_info.trailing_metadata["b-bin"] == b"\0"


def test_calls_are_remembered_with_what_came_with_them() -> None:
    fake = Fake().on("get", "x").on("put", "y")

    with fake.serve() as channel:
        channel.call("get", {"id": 1}, metadata={"token": "t"}, timeout=30.0)
        channel.call("put", 2)

    first, second = fake.calls()
    assert (first.method, first.kind, first.request, first.metadata["token"]) == ("get", "unary", {"id": 1}, "t")
    assert first.timeout is not None and 20.0 < first.timeout <= 30.0
    assert first.peer.startswith("inproc://")
    assert (second.method, second.request, second.timeout) == ("put", 2, None)
    assert fake.calls("put") == [second]
    with pytest.raises(LookupError, match="other is not scripted, but get, put"):
        fake.requests("other")


def test_a_pause_comes_before_what_follows() -> None:
    fake = (
        Fake()
        .on("get", FakeResponse(Pause(0.2), "late"))
        .on("list", FakeResponse(1, Pause(0.2), 2), kind="server_stream")
    )

    with fake.serve() as channel:
        begin = time.monotonic()
        assert channel.call("get", 1) == "late"
        assert time.monotonic() - begin >= 0.2
        with pytest.raises(trunkline.DeadlineExceeded), channel.server_stream("list", timeout=0.1) as stream:
            assert stream.read() == 1
            stream.read()


def test_streams_of_each_kind() -> None:
    fake = Fake(Users)
    fake.on("Users/list", FakeResponse(User("ann"), User("bob"))).on("Users/add", 2).on(
        "Users/talk", FakeResponse("a", "b", "c")
    )

    with fake.serve() as channel:
        users = channel.bind(Users)
        assert list(users.list("x")) == [User("ann"), User("bob")]
        assert users.add(iter([User("c"), User("d")])) == 2
        assert list(users.talk(iter([User("e")]))) == ["a", "b", "c"]

    assert fake.requests("Users/list") == ["x"]
    assert fake.requests("Users/add") == [[User("c"), User("d")]]


def test_functions_stream_what_they_are_asked() -> None:
    def pairs(requests: Iterator[int]) -> Iterator[Any]:
        for request in requests:
            if request < 0:
                yield trunkline.OutOfRange(f"{request}")
            yield 2 * request

    def total(requests: Iterator[int]) -> int:
        return sum(requests)

    async def letters(request: str) -> AsyncIterator[str]:
        for letter in request:
            yield letter

    fake = Fake()
    fake.on("double", pairs, kind="bidirectional").on("sum", total, kind="client_stream")
    fake.on("letters", letters, kind="server_stream")

    with fake.serve() as channel:
        received: list[int] = []
        with pytest.raises(trunkline.OutOfRange, match="-1"):
            for message in channel.stream("double", int).exchange([1, 2, -1]):
                received.append(message)
        assert received == [2, 4]
        assert channel.client_stream("sum", [1, 2, 3]) == 6
        assert list(channel.server_stream("letters", "abc")) == ["a", "b", "c"]

    assert fake.requests("double") == [[1, 2, -1]]


def test_a_function_may_return_a_response() -> None:
    async def later(text: str, request: int) -> str:
        return text * request

    fake = Fake().on("get", lambda request: FakeResponse("x", trailing_metadata={"a": "1"}), partial(later, "y"))
    response_info = trunkline.ResponseInfo()

    with fake.serve() as channel:
        assert channel.call("get", 1, response_info=response_info) == "x"
        assert response_info.trailing_metadata["a"] == "1"
        assert channel.call("get", 2) == "yy"


def test_a_request_that_is_not_the_expected_one_fails_the_test() -> None:
    fake = Fake().on("get", FakeResponse("x", expects=1), FakeResponse("y", expects=2))

    with pytest.raises(AssertionError, match="get: its request is 3, expected was 2"):
        with fake.serve() as channel:
            assert channel.call("get", 1) == "x"
            with pytest.raises(trunkline.Internal, match="expected was 2"):
                channel.call("get", 3)


def test_a_stream_of_requests_is_compared_as_a_list() -> None:
    fake = Fake().on("sum", FakeResponse(3, expects=[1, 2]), kind="client_stream")
    fake.on("talk", FakeResponse("a", expects=[1]), kind="bidirectional")

    with fake.serve() as channel:
        assert channel.client_stream("sum", [1, 2]) == 3
        assert list(channel.stream("talk", int).exchange([1])) == ["a"]


def test_an_assert_in_a_function_fails_the_test() -> None:
    def check(request: dict[str, int]) -> str:
        assert request["id"] > 0, "an id is positive"
        return "x"

    with pytest.raises(AssertionError, match="get: an id is positive"):
        with Fake().on("get", check).serve() as channel:
            with pytest.raises(trunkline.Internal, match="an id is positive"):
                channel.call("get", {"id": 0})


def test_unused_responses_fail_the_test() -> None:
    fake = Fake().on("get", "x", "y", "z").on("put", "w")

    with pytest.raises(AssertionError, match="(?s)get: 2 responses were not used.*'y'.*'z'.*put: 1 responses"):
        with fake.serve() as channel:
            channel.call("get", 1)


def test_an_exception_of_the_block_takes_precedence() -> None:
    with pytest.raises(ZeroDivisionError):
        with Fake().on("get", "x").serve():
            raise ZeroDivisionError


@pytest.mark.parametrize("use", ["call", "submit", "map", "server_stream", "call_oneway"])
def test_a_method_that_is_not_scripted(use: str) -> None:
    def call(channel: trunkline.Channel) -> Any:
        function = getattr(channel, use)
        result = function("put", [1] if use == "map" else 1)
        return result.result() if use == "submit" else list(result)

    fake = Fake().on("get", "x").on("list", "y")
    with pytest.raises(AssertionError, match="fake: put is not scripted, but get, list"):
        with fake.serve() as channel:
            channel.call("get", 1)
            channel.call("list", 1)
            with pytest.raises(trunkline.Unimplemented, match="put is not scripted, but get, list"):
                call(channel)


def test_a_method_of_the_service_without_a_response() -> None:
    fake = Fake(Users, strict=False)

    with (
        fake.serve() as channel,
        pytest.raises(trunkline.Internal, match="Users/get: it was called, but has no response"),
    ):
        channel.bind(Users).get(1)

    with pytest.raises(AssertionError, match="Users/get: it was called"):
        fake.check()


def test_a_fake_that_is_not_strict() -> None:
    fake = Fake(strict=False).on("get", "x", "y")

    with fake.serve() as channel:
        assert channel.call("get", 1) == "x"
        with pytest.raises(trunkline.Unimplemented):
            channel.call("put", 1)


def test_methods_are_scripted_while_it_serves_and_for_channels_of_ones_own() -> None:
    fake = Fake()

    with fake.serve() as channel, trunkline.Channel(channel.endpoint) as own:
        fake.on("get", "x").on("count", FakeResponse(1, 2), kind="server_stream")
        assert own.call("get", 1) == "x"
        assert list(own.server_stream("count")) == [1, 2]


def test_what_cannot_be_scripted() -> None:
    fake = Fake(Users).on("get", "x", kind="unary")

    with pytest.raises(ValueError, match="no response"):
        fake.on("Users/get")
    with pytest.raises(ValueError, match="known already"):
        fake.on("get", "x", kind="server_stream")
    with pytest.raises(ValueError, match="known already"):
        fake.on("Users/get", "x", request=int)
    with pytest.raises(ValueError, match="seconds"):
        Pause(float("nan"))
    with pytest.raises(ValueError, match="name"):
        FakeResponse("x", trailing_metadata={"Bad name": "x"})


def test_a_unary_response_has_one_message() -> None:
    with Fake(strict=False).on("get", FakeResponse("x", "y")).serve() as channel:
        with pytest.raises(trunkline.Internal, match="2 messages, but it is unary"):
            channel.call("get", 1)


def test_a_fake_for_asyncio() -> None:
    async def main() -> None:
        loop = asyncio.get_running_loop()

        async def respond(request: int) -> int:
            assert asyncio.get_running_loop() is loop
            return request + 1

        fake = Fake(Users).on("next", respond).on("Users/list", FakeResponse(User("a"), User("b")))
        async with fake.aserve() as channel:
            assert await channel.call("next", 1) == 2
            listed = channel.bind(Users).list("x")
            assert [user async for user in listed] == [User("a"), User("b")]  # type: ignore[attr-defined]
        with pytest.raises(AssertionError, match="other is not scripted, but Users"):
            async with testing.aserve(fake) as channel:
                with pytest.raises(trunkline.Unimplemented):
                    await channel.call("other")

    asyncio.run(main())


def test_async_services_from_code_that_blocks() -> None:
    with testing.serve(AsyncGreeter) as channel:
        assert channel.call("AsyncGreeter/greet", "ann", str) == "hello, ann"
    server = aio.Server()
    server.add_service(AsyncGreeter)
    with testing.serve(server) as channel:
        assert channel.call("AsyncGreeter/greet", "bob", str) == "hello, bob"


def test_blocking_servers_from_asyncio() -> None:
    server = trunkline.Server(threads=1)
    server.add("double", lambda request: 2 * request)

    async def main() -> None:
        async with testing.aserve(server) as channel:
            assert await channel.call("double", 4) == 8

    asyncio.run(main())


def test_the_fixtures(trunkline_serve: Any, trunkline_aserve: Any, trunkline_fake: Fake) -> None:
    fake = trunkline_fake.on("get", "x", "y")
    channel = trunkline_serve(fake, max_retries=0)
    achannel = trunkline_aserve(AsyncGreeter)

    async def main() -> None:
        assert await achannel.bind(AsyncGreeter).greet("ann") == "hello, ann"

    asyncio.run(main())
    asyncio.run(main())
    assert [channel.call("get", 1), channel.call("get", 2)] == ["x", "y"]


def test_the_fixtures_fail_tests(pytester: pytest.Pytester) -> None:
    pytester.makepyfile(
        """
        import asyncio

        def test_blocking(trunkline_serve, trunkline_fake):
            trunkline_serve(trunkline_fake.on("get", "x"))

        def test_async(trunkline_aserve, trunkline_fake):
            channel = trunkline_aserve(trunkline_fake.on("get", "x", "y"))
            assert asyncio.run(channel.call("get", 1)) == "x"

        def test_used(trunkline_aserve, trunkline_fake):
            channel = trunkline_aserve(trunkline_fake.on("get", "x"))
            assert asyncio.run(channel.call("get", 1)) == "x"
        """
    )

    result = pytester.runpytest_subprocess("-p", "no:cacheprovider")

    result.assert_outcomes(passed=3, errors=2)
    result.stdout.fnmatch_lines(
        ["*get: 1 responses were not used: ?FakeResponse('x')?", "*get: 1 responses were not used: ?FakeResponse('y')?"]
    )
