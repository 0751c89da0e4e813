# SPDX-License-Identifier: MIT
"""Servers of classes with definitions of their methods, as generated code has them."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import trunkline
from google.protobuf.wrappers_pb2 import Int64Value, StringValue
from trunkline import aio, testing

from .speller import AsyncSpellerService, SpellerClient, SpellerService


class Speller(SpellerService):
    """Has no type hints, because the definitions state the types."""

    def greet(self, request, context):  # type: ignore[no-untyped-def]
        return StringValue(value=f"{request.value} by {context.method}")

    def join(self, requests, context):  # type: ignore[no-untyped-def]
        return StringValue(value="".join(each.value for each in requests))

    def spell(self, request):  # type: ignore[no-untyped-def, override]
        return map(lambda letter: StringValue(value=letter), request.value)

    def measure(self, requests, context):  # type: ignore[no-untyped-def]
        for request in requests:
            yield Int64Value(value=len(request.value))


class AsyncSpeller(AsyncSpellerService):
    async def greet(self, request, context):  # type: ignore[no-untyped-def]
        return StringValue(value=f"{request.value} by {context.method}")

    async def join(self, requests, context):  # type: ignore[no-untyped-def]
        return StringValue(value="".join([each.value async for each in requests]))

    async def spell(self, request, context):  # type: ignore[no-untyped-def]
        for letter in request.value:
            yield StringValue(value=letter)

    async def measure(self, requests, context):  # type: ignore[no-untyped-def]
        async for request in requests:
            yield Int64Value(value=len(request.value))


class MixedSpeller(AsyncSpeller):
    """Mixes functions, which run on threads, with coroutines."""

    def join(self, requests, context):  # type: ignore[no-untyped-def]
        return StringValue(value="".join(each.value for each in requests))

    def measure(self, requests, context):  # type: ignore[no-untyped-def]
        return [Int64Value(value=len(each.value)) for each in requests]


def served(service: Any, server: Any) -> Any:
    server.add_service(service)
    return testing.serve(server)


@pytest.mark.parametrize("make", [trunkline.Server, aio.Server])
def test_a_service_of_functions(make: Callable[[], Any]) -> None:
    with served(Speller, make()) as channel:
        play(SpellerClient(channel))


@pytest.mark.parametrize("service", [AsyncSpeller(), MixedSpeller])
def test_a_service_of_coroutines(service: Any) -> None:
    with served(service, aio.Server()) as channel:
        play(SpellerClient(channel))


def play(client: SpellerClient) -> None:
    words = [StringValue(value="ab"), StringValue(value="c")]
    assert client.greet(StringValue(value="a")) == StringValue(value="a by test.Speller/Greet")
    assert client.join(words) == StringValue(value="abc")
    assert client.join([]) == StringValue()
    assert [each.value for each in client.spell(StringValue(value="abc"))] == ["a", "b", "c"]
    assert [each.value for each in client.measure(words)] == [2, 1]


@pytest.mark.parametrize("service", [SpellerService, AsyncSpellerService])
def test_what_a_service_leaves_out_is_unimplemented(service: Any) -> None:
    with testing.serve(service) as channel:
        client = SpellerClient(channel)
        for use in (
            lambda: client.greet(StringValue()),
            lambda: client.join([]),
            lambda: list(client.spell(StringValue())),
            lambda: list(client.measure([])),
        ):
            with pytest.raises(trunkline.Unimplemented, match=r"call test.Speller/\w+: not implemented"):
                use()


def test_a_service_under_another_name() -> None:
    server = trunkline.Server()
    server.add_service(Speller)
    server.add_service(Speller, name="other.Speller")
    with testing.serve(server) as channel:
        reported = channel.call("other.Speller/Greet", StringValue(value="a"), StringValue)
        assert reported.value == "a by other.Speller/Greet"
        client: Any = channel.bind(SpellerService, "other.Speller")
        assert client.greet(StringValue()).value == " by other.Speller/Greet"


def test_idempotent_methods_are_so_for_the_server() -> None:
    server = trunkline.Server()
    server.add_service(Speller)

    assert {name for name, method in server._methods.items() if method.idempotent} == {"test.Speller/Greet"}


def test_a_service_added_twice_is_refused_completely() -> None:
    server = trunkline.Server()
    server.add("test.Speller/Measure", lambda request: request)

    with pytest.raises(ValueError, match="method 'test.Speller/Measure' is registered already"):
        server.add_service(Speller)

    assert list(server._methods) == ["test.Speller/Measure"]
    server.remove("test.Speller/Measure")
    server.add_service(Speller)
    with pytest.raises(ValueError, match="method 'test.Speller/Greet' is registered already"):
        server.add_service(Speller())


def test_two_functions_for_one_method() -> None:
    class Twice(Speller):
        methods = SpellerService.__trunkline_methods__
        __trunkline_methods__ = {**methods, "hail": methods["greet"]}
        hail = Speller.greet

    server = trunkline.Server()
    with pytest.raises(ValueError, match="'test.Speller/Greet' is registered already"):
        server.add_service(Twice)
    assert not server._methods


def plain(function: Any) -> Any:
    @functools.wraps(function)
    def run(*arguments: Any) -> Any:
        return function(*arguments)

    return run


def test_decorated_functions() -> None:
    class Decorated(AsyncSpeller):
        greet = plain(AsyncSpeller.greet)
        join = plain(AsyncSpeller.join)
        spell = plain(AsyncSpeller.spell)
        measure = plain(AsyncSpeller.measure)

    with testing.serve(Decorated) as channel:
        play(SpellerClient(channel))


def test_other_callables_serve() -> None:
    service = Speller()
    greet: Any = functools.partial(lambda tail, request: StringValue(value=request.value + tail), "!")
    service.greet = greet  # type: ignore[method-assign]

    with testing.serve(service) as channel:
        assert SpellerClient(channel).greet(StringValue(value="a")).value == "a!"


def test_functions_beneath_descriptors() -> None:
    class Described(Speller):
        def _join(self, separator, requests):  # type: ignore[no-untyped-def]
            return StringValue(value=separator.join(each.value for each in requests))

        join: Any = functools.partialmethod(_join, "")
        spell: Any = staticmethod(lambda request: [StringValue(value=each) for each in request.value])

    with testing.serve(Described) as channel:
        described: Any = SpellerClient(channel)
        assert described.join([StringValue(value="ab"), StringValue(value="c")]).value == "abc"
        assert [each.value for each in described.spell(StringValue(value="ab"))] == ["a", "b"]


def test_functions_that_remember_their_results() -> None:
    definition = trunkline.MethodDefinition("Squares/square", "unary", int, int)

    class Squares:
        __trunkline_methods__ = {"square": definition}

        @functools.lru_cache
        def square(self, number: int) -> int:
            return number * number

    with testing.serve(Squares) as channel:
        assert [trunkline.UnaryMethod(channel, definition)(each) for each in (3, 3)] == [9, 9]
    assert Squares.square.cache_info().hits == 1


async def _coroutine(self: Any, request: Any, context: Any) -> Any: ...


def _generator(self: Any, request: Any, context: Any) -> Iterator[Any]:
    yield


async def _async_generator(self: Any, request: Any, context: Any) -> Any:
    yield


MISFITS = [
    ("greet", lambda self: None, r"it takes \(\); it is called with \(request, context\), or just \(request\)"),
    ("greet", lambda self, context: None, r"it takes \(context\); it is called with"),
    ("greet", lambda self, one, two, three: None, r"it takes \(one, two, three\); it is called with"),
    ("spell", lambda self, one, *, other: None, r"it takes \(one, \*, other\); it is called with"),
    ("greet", _generator, "of test.Speller/Greet: it yields, but the method is unary"),
    ("join", _async_generator, "of test.Speller/Join: it yields, but the method is client_stream"),
    ("greet", _coroutine, "method test.Speller/Greet: an async handler needs trunkline.aio.Server"),
    ("spell", _async_generator, "method test.Speller/Spell: an async handler needs trunkline.aio.Server"),
    ("spell", plain(_async_generator), "method test.Speller/Spell: an async handler needs trunkline.aio.Server"),
    ("greet", max, "handler max of test.Speller/Greet: its parameters cannot be inspected"),
    ("measure", 5, "service test.Speller: the class has no function measure.. for test.Speller/Measure"),
]


@pytest.mark.parametrize("name, function, expected", MISFITS)
def test_functions_that_do_not_fit(name: str, function: Any, expected: str) -> None:
    server = trunkline.Server()

    with pytest.raises(TypeError, match=expected):
        server.add_service(type("Misfit", (Speller,), {name: function}))

    assert not server._methods


def test_definitions_that_are_none() -> None:
    class Wrong:
        __trunkline_methods__ = {"greet": "Wrong/greet"}

        def greet(self) -> None: ...

    for name in (None, "Other"):
        with pytest.raises(TypeError, match=r"__trunkline_methods__\['greet'\] is a str, not a MethodDefinition"):
            trunkline.Server().add_service(Wrong, name)


@pytest.mark.parametrize("server", [trunkline.Server(), aio.Server()])
def test_results_that_do_not_fit(server: Any, caplog: pytest.LogCaptureFixture) -> None:
    class Wrong(Speller):
        def greet(self, request: Any) -> Any:  # type: ignore[override]
            return Int64Value(value=1)

        def join(self, requests: Any) -> Any:  # type: ignore[override]
            return None

        def spell(self, request: Any) -> Any:  # type: ignore[override]
            return StringValue()

        def measure(self, requests: Any) -> Any:  # type: ignore[override]
            yield StringValue()

    expected = [
        "call test.Speller/Greet: the response does not encode as protobuf: "
        "the message is of type Int64Value, not StringValue",
        "call test.Speller/Join: the response does not encode as protobuf: "
        "the message is of type NoneType, not StringValue",
        "handler of test.Speller/Spell: its result is not a stream of responses: "
        "'StringValue' object is not iterable",
        "call test.Speller/Measure: the response does not encode as protobuf: "
        "the message is of type StringValue, not Int64Value",
    ]
    with served(Wrong, server) as channel, caplog.at_level(logging.ERROR):
        client = SpellerClient(channel)
        for use in (
            lambda: client.greet(StringValue()),
            lambda: client.join([]),
            lambda: list(client.spell(StringValue())),
            lambda: list(client.measure([])),
        ):
            with pytest.raises(trunkline.Internal):
                use()
    reported = [str(record.exc_info[1]) for record in caplog.records if record.exc_info is not None]
    assert reported == expected


def test_an_async_stream_that_is_none(caplog: pytest.LogCaptureFixture) -> None:
    class Wrong(AsyncSpeller):
        async def spell(self, request: Any) -> Any:  # type: ignore[override]
            return StringValue()

    with testing.serve(Wrong) as channel, caplog.at_level(logging.ERROR), pytest.raises(trunkline.Internal):
        list(SpellerClient(channel).spell(StringValue()))
    assert "its result is not a stream of responses: 'StringValue' object is not an async iterable" in caplog.text


def test_a_fake_knows_the_kinds_and_messages() -> None:
    fake = testing.Fake(SpellerService)
    fake.on("test.Speller/Spell", testing.FakeResponse(StringValue(value="a"), StringValue(value="b")))

    with fake.serve() as channel:
        assert [each.value for each in SpellerClient(channel).spell(StringValue(value="x"))] == ["a", "b"]

    assert fake.requests("test.Speller/Spell") == [StringValue(value="x")]
