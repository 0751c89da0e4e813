# SPDX-License-Identifier: MIT
"""Methods as functions of a channel: clients in the shape of generated code."""

from __future__ import annotations

import asyncio
import dataclasses
import gc
from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Annotated, Any, Optional

import pytest
import trunkline
from google.protobuf.wrappers_pb2 import Int64Value, StringValue
from trunkline import aio, testing
from typing_extensions import assert_type

from .speller import AsyncSpellerClient, AsyncSpellerService, SpellerClient, SpellerService
from .test_defined_services import Speller

TEXT = StringValue(value="a")
DOUBLE = trunkline.MethodDefinition("double", "unary", int, int)


class Told(Speller):
    """Returns what its handlers see of a call."""

    def greet(self, request: Any, context: trunkline.Context) -> Any:
        left = context.time_left()
        reported = {"left": left and round(left), "a": context.metadata.get("a"), "text": request.value}
        return StringValue(value=str(reported))


def test_every_form_of_a_unary_call() -> None:
    with testing.serve(Speller) as channel:
        greet = SpellerClient(channel).greet

        assert greet(TEXT).value == "a by test.Speller/Greet"
        assert greet.submit(TEXT).result(20).value == "a by test.Speller/Greet"
        assert [each.value[0] for each in greet.map(iter([TEXT, StringValue(value="b")]), window=1)] == ["a", "b"]
        assert sorted(greet.as_completed([TEXT] * 3), key=lambda each: each[0])[2] == (2, greet(TEXT))
        response_info = trunkline.ResponseInfo()
        greet(TEXT, response_info=response_info)
        assert response_info.peer
        greet.submit(TEXT, response_info=response_info).result(20)
        assert greet.oneway(TEXT) is None  # type: ignore[func-returns-value]


def test_one_way_calls_arrive() -> None:
    with testing.Fake(SpellerService).on("test.Speller/Greet", TEXT).serve() as channel:
        SpellerClient(channel).greet.oneway(TEXT, metadata={"a": "b"})
        SpellerClient(channel, idempotent=True).greet.oneway(TEXT)
        assert SpellerClient(channel).greet(TEXT) == TEXT


def test_every_form_with_asyncio() -> None:
    async def texts() -> AsyncIterator[StringValue]:
        yield TEXT
        yield StringValue(value="bcd")

    async def main() -> None:
        async with testing.aserve(Speller) as channel:
            client = AsyncSpellerClient(channel)
            assert (await client.greet(TEXT)).value == "a by test.Speller/Greet"
            assert (await client.greet.submit(TEXT)).value == "a by test.Speller/Greet"
            assert [each.value[0] async for each in client.greet.map([TEXT], window=1)] == ["a"]
            assert [each.value[0] async for each in client.greet.map(texts())] == ["a", "b"]
            assert [index async for index, _ in client.greet.as_completed(texts(), window=1)] == [0, 1]
            await client.greet.oneway(TEXT)
            response_info = trunkline.ResponseInfo()
            await client.greet(TEXT, response_info=response_info)
            assert response_info.peer
            assert (await client.join(texts())).value == "abcd"
            assert [each.value async for each in client.spell(StringValue(value="ab"))] == ["a", "b"]
            assert [each.value async for each in client.measure(texts())] == [1, 3]
            async with client.measure() as stream:
                await stream.write(TEXT)
                assert (await stream.read()).value == 1

    asyncio.run(main())


def test_a_bidirectional_call_without_requests_is_a_stream() -> None:
    with testing.serve(Speller) as channel, SpellerClient(channel).measure() as stream:
        stream.write(StringValue(value="abc"))
        assert stream.read() == Int64Value(value=3)


def test_options_of_every_call_and_of_one() -> None:
    pairs = iter([("a", "b")])
    with testing.serve(Told) as channel:
        client = SpellerClient(channel, timeout=100.0, metadata=pairs)
        for _ in range(2):
            assert client.greet(TEXT).value == str({"left": 100, "a": "b", "text": "a"})
        assert client.greet(TEXT, timeout=50.0, metadata=None).value == str({"left": 50, "a": None, "text": "a"})
        assert client.greet.submit(TEXT, timeout=50.0).result(20).value == str({"left": 50, "a": "b", "text": "a"})
        assert list(client.greet.map([TEXT], timeout=50.0))[0].value == str({"left": 50, "a": "b", "text": "a"})
        for use in (
            lambda: client.join([], timeout=-1.0),
            lambda: client.spell(TEXT, timeout=-1.0),
            lambda: client.measure(timeout=-1.0),
        ):
            with pytest.raises(ValueError, match="timeout"):
                use()


@pytest.mark.parametrize("options, repeated", [({}, True), ({"idempotent": False}, False)])
def test_a_definition_says_whether_calls_are_repeated(options: Any, repeated: bool) -> None:
    fake = testing.Fake(SpellerService).on("test.Speller/Greet", testing.Fault.DISCONNECT, TEXT)
    with fake.serve() as channel:
        client = SpellerClient(channel, **options)
        if repeated:
            assert client.greet(TEXT) == TEXT
        else:
            with pytest.raises(trunkline.Unavailable):
                client.greet(TEXT)
            assert client.greet(TEXT, idempotent=True) == TEXT


def test_streams_ignore_what_is_for_unary_calls() -> None:
    with testing.serve(Speller) as channel:
        client = SpellerClient(channel, idempotent=True)
        assert client.join([TEXT]) == TEXT
        assert list(client.spell(TEXT)) == [TEXT]
        assert list(client.measure([TEXT])) == [Int64Value(value=1)]


def test_requests_of_another_class_are_refused_before_the_call() -> None:
    wrong: Any = Int64Value(value=1)
    text = "its request is of type Int64Value, not StringValue"
    with testing.Fake(SpellerService).serve() as channel:
        client = SpellerClient(channel)
        for use in (
            lambda: client.greet(wrong),
            lambda: client.greet.submit(wrong),
            lambda: list(client.greet.map([wrong])),
            lambda: list(client.greet.as_completed([wrong])),
            lambda: client.greet.oneway(wrong),
            lambda: client.spell(wrong),
        ):
            with pytest.raises(TypeError, match=f"call test.Speller/(Greet|Spell): {text}"):
                use()
        none: Any = None
        with pytest.raises(TypeError, match="its request is of type NoneType, not StringValue"):
            client.greet(none)


@pytest.mark.parametrize("wrong", [Int64Value(value=1), {"value": "a"}])
def test_messages_of_another_class_are_not_streamed(wrong: Any) -> None:
    text = f"the message is of type {type(wrong).__name__}, not StringValue"
    with testing.serve(Speller) as channel:
        client = SpellerClient(channel)
        with pytest.raises(TypeError, match=text):
            client.join([wrong])
        with pytest.raises(TypeError, match=text):
            list(client.measure([TEXT, wrong]))
        with channel.stream("test.Speller/Measure", StringValue, Int64Value) as stream:
            with pytest.raises(TypeError, match=text):
                stream.write(wrong)


@pytest.mark.parametrize("codec", [None, "json"])
def test_messages_of_another_plain_type_are_not_streamed(codec: Any) -> None:
    def add(numbers: Iterator[int]) -> int:
        return sum(numbers)

    server = trunkline.Server()
    server.add("add", add)
    wrong: Any = "2"
    text = "the message is of type str, not int"
    definition = trunkline.MethodDefinition("add", "client_stream", int, int)
    options: Any = {} if codec is None else {"codec": codec}
    with testing.serve(server) as channel:
        method = trunkline.ClientStreamMethod(channel, definition, **options)
        assert method([1, 2]) == method(iter([1, 2])) == channel.client_stream("add", [1, 2], int) == 3
        for kind in (int, Annotated[int, "a number"]):
            assert channel.client_stream("add", [1, 2], int, request=kind, **options) == 3
            with pytest.raises(TypeError, match=text):
                channel.client_stream("add", [1, wrong], int, request=kind, **options)
        with pytest.raises(TypeError, match=text):
            method([1, wrong])
        with channel.stream("add", int, int, **options) as stream, pytest.raises(TypeError, match=text):
            stream.write(wrong)

    async def main() -> None:
        async with testing.aserve(server) as asynchronous:
            with pytest.raises(TypeError, match=text):
                await aio.ClientStreamMethod(asynchronous, definition, **options)([1, wrong])

    asyncio.run(main())


def test_streams_of_what_is_not_stated_are_of_anything() -> None:
    server = trunkline.Server()

    @server.method
    def reported(values: Iterator[Any]) -> str:
        return str(list(values))

    async def main() -> None:
        async with testing.aserve(server) as asynchronous:
            assert await asynchronous.client_stream("reported", [1, "a", [2.5]]) == "[1, 'a', [2.5]]"

    with testing.serve(server) as channel:
        assert channel.client_stream("reported", [1, "a", [2.5]]) == "[1, 'a', [2.5]]"
    asyncio.run(main())


def test_requests_of_another_class_with_asyncio() -> None:
    wrong: Any = Int64Value(value=1)

    async def wrongs() -> AsyncIterator[Any]:
        yield wrong

    async def main() -> None:
        async with testing.aserve(Speller) as channel:
            client = AsyncSpellerClient(channel)
            for use in (lambda: client.greet(wrong), lambda: client.greet.submit(wrong), lambda: client.spell(wrong)):
                with pytest.raises(TypeError, match="its request is of type Int64Value, not StringValue"):
                    use()
            with pytest.raises(TypeError, match="its request is of type Int64Value"):
                [each async for each in client.greet.map(wrongs())]
            with pytest.raises(TypeError, match="the message is of type Int64Value"):
                await client.join(wrongs())

    asyncio.run(main())


def test_what_a_method_is_made_of() -> None:
    methods = SpellerService.__trunkline_methods__
    with testing.serve(Speller) as channel:
        any_channel: Any = channel
        greet = trunkline.UnaryMethod[StringValue, StringValue](channel, methods["greet"], timeout=1.0)
        assert (greet.name, greet.definition) == ("test.Speller/Greet", methods["greet"])
        assert repr(greet) == f"<UnaryMethod test.Speller/Greet of {channel.endpoint}>"

        with pytest.raises(TypeError, match="^UnaryMethod: test.Speller/Spell is server_stream, not unary$"):
            trunkline.UnaryMethod(channel, methods["spell"])
        with pytest.raises(TypeError, match="^BidirectionalMethod: test.Speller/Greet is unary, not bidirectional$"):
            trunkline.BidirectionalMethod(channel, methods["greet"])
        with pytest.raises(TypeError, match="its definition is a str, not a MethodDefinition"):
            trunkline.UnaryMethod(channel, "test.Speller/Greet")  # type: ignore[arg-type]
        with pytest.raises(
            TypeError, match="Greet is for a trunkline.aio.Channel, not a trunkline._sync.channel.Channel$"
        ):
            aio.UnaryMethod(any_channel, methods["greet"])
        with pytest.raises(TypeError, match="Greet is for a trunkline.Channel, not a trunkline._sync.server.Server$"):
            trunkline.UnaryMethod(trunkline.Server(), methods["greet"])  # type: ignore[arg-type]
        with pytest.raises(TypeError, match="test.Speller/Greet has no option 'timeot'; the options are .*timeout"):
            trunkline.UnaryMethod(channel, methods["greet"], timeot=1.0)  # type: ignore[call-arg]


def test_definitions() -> None:
    definition = SpellerService.__trunkline_methods__["measure"]
    assert (definition.kind, definition.deprecated, definition.idempotent) == ("bidirectional", True, False)
    again = dataclasses.replace(definition, name="test.Speller/Measure")
    assert definition == again and hash(definition) == hash(again)
    with pytest.raises(AttributeError):
        definition.name = "x"  # type: ignore[misc]
    wrong: Any = "stream"
    with pytest.raises(ValueError, match="method a/b: its kind 'stream' is not one of unary, .*bidirectional"):
        trunkline.MethodDefinition("a/b", wrong, StringValue, StringValue)
    for name in ("", None):
        with pytest.raises(TypeError, match="the name of a method is a non-empty str"):
            trunkline.MethodDefinition(name, "unary", StringValue, StringValue)  # type: ignore[call-overload]


def test_messages_of_plain_types() -> None:
    server = trunkline.Server()
    server.add("double", lambda number: 2 * number)
    with testing.serve(server) as channel:
        assert_type(DOUBLE, trunkline.MethodDefinition[int, int])
        double = trunkline.UnaryMethod(channel, DOUBLE)
        assert_type(double, trunkline.UnaryMethod[int, int])
        assert_type(double(4), int)
        assert_type(double.submit(4), trunkline.CallFuture[int])
        assert_type(double.map([4]), Iterator[int])
        assert_type(double.map([4], return_exceptions=True), Iterator[Any])
        assert_type(double.as_completed([4]), Iterator[tuple[int, int]])
        assert double(4) == 8


def test_interceptors_see_the_calls() -> None:
    seen: list[tuple[str, str]] = []

    def note(call: trunkline.OutgoingCall) -> Iterator[None]:
        seen.append((call.method, call.kind))
        yield

    with testing.serve(Speller, interceptors=[note]) as channel:
        client = SpellerClient(channel)
        client.greet(TEXT)
        client.join([TEXT])
        list(client.spell(TEXT))
        list(client.measure([TEXT]))
    assert seen == [(each.name, each.kind) for each in SpellerService.__trunkline_methods__.values()]


def test_bound_classes_have_the_same_functions() -> None:
    with testing.serve(Speller) as channel:
        bound = channel.bind(SpellerService, timeout=20.0)
        # Told to be the service, whose functions take a context: generated clients are what is typed.
        bound.greet(TEXT)  # type: ignore[call-arg]
        client: Any = bound
        assert isinstance(client.greet, trunkline.UnaryMethod)
        assert client.greet(TEXT, timeout=30.0).value == "a by test.Speller/Greet"
        assert client.join([TEXT]) == TEXT
        assert list(client.spell(TEXT)) == [TEXT]
        assert list(client.measure([TEXT])) == [Int64Value(value=1)]
        with pytest.raises(TypeError, match="bind AsyncSpellerService: greet is a coroutine function"):
            channel.bind(AsyncSpellerService)

    async def main() -> None:
        async with testing.aserve(Speller) as channel:
            for service in (SpellerService, AsyncSpellerService):
                client: Any = channel.bind(service)
                assert isinstance(client.measure, aio.BidirectionalMethod)
                assert (await client.greet(TEXT)).value == "a by test.Speller/Greet"

    asyncio.run(main())


def test_types_of_definitions() -> None:
    text = trunkline.MethodDefinition("a/b", "unary", StringValue, Int64Value)
    untyped: trunkline.MethodDefinition = text
    hints = trunkline.MethodDefinition("a/b", "unary", Optional[int], None)
    several: Mapping[str, trunkline.MethodDefinition[Any, Any]] = {"text": text, "untyped": untyped, "hints": hints}

    assert_type(hints, trunkline.MethodDefinition[Any, Any])
    assert [each.response for each in several.values()] == [Int64Value, Int64Value, None]
    assert trunkline.MethodDefinition[int, str]("a/b", "unary", int, str).request is int
    with testing.serve(Speller) as channel:
        assert_type(trunkline.UnaryMethod(channel, text), trunkline.UnaryMethod[StringValue, Int64Value])
        wrong = trunkline.UnaryMethod[str, int](channel, DOUBLE)  # type: ignore[arg-type]
    assert wrong.definition is DOUBLE


def test_options_of_every_call_are_checked_at_once() -> None:
    wrong: Any = {"a": 1}
    with testing.serve(Speller) as channel:
        with pytest.raises(ValueError, match="timeout"):
            SpellerClient(channel, timeout=-1.0)
        with pytest.raises(TypeError, match="metadata 'a': its value is int, not str or bytes"):
            SpellerClient(channel, metadata=wrong)


def test_a_client_made_in_a_handler_does_not_keep_its_deadline() -> None:
    made: list[Any] = []

    class Making(AsyncSpellerService):
        async def greet(self, request: StringValue, context: trunkline.Context) -> StringValue:
            if request.value == "make":
                made.append(AsyncSpellerClient(channel))
            elif request.value == "use":
                return await made[0].greet(StringValue(value="left"))
            return StringValue(value=str(context.time_left()))

    channel: Any = None

    async def main() -> None:
        nonlocal channel
        async with testing.aserve(Making) as channel:
            client = AsyncSpellerClient(channel)
            await client.greet(StringValue(value="make"), timeout=9.0)
            assert (await made[0].greet(TEXT)).value == "None"
            assert 90 < float((await client.greet(StringValue(value="use"), timeout=100.0)).value) <= 100

    asyncio.run(main())


def test_a_client_keeps_its_channel() -> None:
    with testing.serve(Speller) as channel:
        client = SpellerClient(trunkline.Channel(channel.endpoint))
        gc.collect()
        assert client.join([TEXT]) == TEXT
