# SPDX-License-Identifier: MIT
"""Requests that are missing, not wanted, or outside the constraints of their parameter."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Optional, Union

import msgspec
import pydantic
import pytest
import trunkline
from google.protobuf.wrappers_pb2 import Int64Value
from trunkline import aio, testing

Percent = Annotated[int, msgspec.Meta(ge=0, le=100)]


class Cat(pydantic.BaseModel):
    lives: Annotated[int, pydantic.Field(le=9)]


class Dog(pydantic.BaseModel):
    name: str

    @pydantic.field_validator("name")
    @classmethod
    def _check_name(cls, name: str) -> str:
        if not name.istitle():
            raise ValueError("names begin with a capital")
        return name


class WrittenJson(trunkline.Codec):
    """Messages are JSON already."""

    name = "json"

    def supports(self, kind: Any) -> bool:
        return kind is bytes

    def encode(self, message: Any) -> bytes:
        return bytes(message)

    def decode(self, data: bytes, kind: Any) -> Any:
        return data


def add_methods(server: Any) -> Any:
    """Plain functions and, on an aio.Server, the same as coroutines."""

    def now() -> int:
        return 7

    def mine(context: trunkline.Context) -> str:
        return context.method

    def ticks() -> Iterator[int]:
        yield from range(3)

    def greet(name: str = "world") -> str:
        return f"hello, {name}"

    def either(number: Optional[int] = 5) -> Any:
        return number

    def take(data: bytes = b"default") -> bytes:
        return data

    def value(request: Int64Value = Int64Value(value=5)) -> Int64Value:
        return request

    def count(end: int = 2) -> Iterator[int]:
        yield from range(end)

    def share(part: Percent) -> float:
        return part / 100

    def shares(parts: Iterator[Percent]) -> int:
        return sum(parts)

    def pick(number: Annotated[int, pydantic.Field(gt=3)]) -> int:
        return number

    def tags(names: Annotated[list[Annotated[str, msgspec.Meta(max_length=3)]], msgspec.Meta(min_length=1)]) -> int:
        return len(names)

    def pet(animal: Union[Cat, Dog]) -> Union[Cat, Dog, None]:
        return animal

    def pets(animals: list[Union[Cat, Dog]]) -> list[str]:
        return [type(each).__name__ for each in animals]

    for handler in (now, mine, ticks, greet, either, take, value, count, share, shares, pick, tags, pet, pets):
        server.add(handler.__name__, as_coroutine(handler) if isinstance(server, aio.Server) else handler)
    return server


def as_coroutine(handler: Callable[..., Any]) -> Callable[..., Any]:
    if handler.__name__ in ("ticks", "shares", "count"):
        return handler  # on a thread of the pool

    async def run(*arguments: Any) -> Any:
        return handler(*arguments)

    run.__annotations__ = handler.__annotations__
    setattr(run, "__signature__", __import__("inspect").signature(handler))
    return run


@pytest.fixture(params=[trunkline.Server, aio.Server], ids=["threads", "asyncio"])
def channel(request: pytest.FixtureRequest) -> Iterator[trunkline.Channel]:
    with testing.serve(add_methods(request.param(threads=4))) as channel:
        yield channel


@pytest.mark.parametrize("request_message", [5, "text", [None], {"a": 1}, 0, False], ids=repr)
def test_a_method_without_parameters_refuses_a_request(channel: trunkline.Channel, request_message: Any) -> None:
    for method in ("now", "mine"):
        text = f"call {method}: the method takes no request, the call has one of"
        with pytest.raises(trunkline.InvalidArgument, match=text):
            channel.call(method, request_message)
    with pytest.raises(trunkline.InvalidArgument, match="call ticks: the method takes no request"):
        list(channel.server_stream("ticks", request_message))


@pytest.mark.parametrize("codec", ["msgpack", "json", None])
def test_a_method_without_parameters_is_called_without_a_request(channel: trunkline.Channel, codec: str | None) -> None:
    assert channel.call("now", response=int, codec=codec) == 7
    assert channel.call("mine", None, str, codec=codec) == "mine"
    assert channel.call("mine", {}, str, codec=codec) == "mine"  # as what follows the description sends it
    assert list(channel.server_stream("ticks", response=int, codec=codec)) == [0, 1, 2]


def test_a_default_is_the_request_of_a_call_without_one(channel: trunkline.Channel) -> None:
    for codec in ("msgpack", "json", None):
        assert channel.call("greet", response=str, codec=codec) == "hello, world"
        assert channel.call("greet", "ann", str, codec=codec) == "hello, ann"
        assert channel.call("greet", {}, str, codec=codec) == "hello, world"
        assert list(channel.server_stream("count", response=int, codec=codec)) == [0, 1]
        assert list(channel.server_stream("count", 3, response=int, codec=codec)) == [0, 1, 2]
        assert channel.call("take", codec="msgpack") == b"default"
    assert list(channel.map("greet", [None, "ann"], str)) == ["hello, world", "hello, ann"]
    assert channel.call("either") is None  # which the type includes


@pytest.mark.parametrize("nothing", [b"", b"{}", b"{ }", b" null ", b"\r\n{\t}\n"], ids=repr)
@pytest.mark.parametrize(("method", "response"), [("now", b"7"), ("greet", b'"hello, world"')])
def test_whitespace_in_json_is_no_request(method: str, response: bytes, nothing: bytes) -> None:
    with testing.serve(add_methods(trunkline.Server(threads=1)), codecs=[WrittenJson()]) as channel:
        assert channel.call(method, nothing, bytes, codec="json") == response


@pytest.mark.parametrize("content", [b"nu ll", b"{ } 1", b'{ "a": 1 }', b" 0 "], ids=repr)
def test_other_json_is_a_request(content: bytes) -> None:
    with testing.serve(add_methods(trunkline.Server(threads=1)), codecs=[WrittenJson()]) as channel:
        with pytest.raises(trunkline.InvalidArgument, match="call now: the method takes no request"):
            channel.call("now", content, codec="json")


def test_an_empty_message_of_bytes_or_protobuf_is_a_request(channel: trunkline.Channel) -> None:
    assert channel.call("take", b"") == b""
    assert channel.call("value", Int64Value(), Int64Value) == Int64Value()


def test_constraints_of_parameters_are_checked(channel: trunkline.Channel) -> None:
    for codec in ("msgpack", "json"):
        assert channel.call("share", 50, float, codec=codec) == 0.5
        assert channel.call("tags", ["abc"], int, codec=codec) == 1
        assert channel.call("pick", 4, int, codec=codec) == 4
        with pytest.raises(trunkline.InvalidArgument, match="call share: .*Expected `int` <= 100"):
            channel.call("share", 101, codec=codec)
        with pytest.raises(trunkline.InvalidArgument, match=r"Expected `str` of length <= 3 - at `\$\[1\]`"):
            channel.call("tags", ["abc", "abcd"], codec=codec)
        with pytest.raises(trunkline.InvalidArgument, match="length >= 1"):
            channel.call("tags", [], codec=codec)
        with pytest.raises(trunkline.InvalidArgument, match="call pick: .*the message: Input should be greater than 3"):
            channel.call("pick", 3, codec=codec)
        with pytest.raises(trunkline.InvalidArgument, match="Expected `int` >= 0"):
            channel.client_stream("shares", [1, -1], codec=codec)
    assert channel.client_stream("shares", [1, 2], int) == 3


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_unions_of_models(channel: trunkline.Channel, codec: str) -> None:
    for animal in (Cat(lives=7), Dog(name="Rex")):
        assert channel.call("pet", animal, Union[Cat, Dog], codec=codec) == animal
    assert channel.call("pets", [Dog(name="Rex"), {"lives": 1}], list[str], codec=codec) == ["Dog", "Cat"]
    text = r"call pets: .*1\.Cat\.lives: Field required; 1\.Dog\.name: Field required"
    with pytest.raises(trunkline.InvalidArgument, match=text):
        channel.call("pets", [{"lives": 1}, {}], codec=codec)
    with pytest.raises(trunkline.Internal, match="response does not decode as .*lives: Field required"):
        channel.call("pet", Dog(name="Rex"), Union[Cat, None], codec=codec)


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_the_text_of_pydantic_says_what_is_wrong(channel: trunkline.Channel, codec: str) -> None:
    with pytest.raises(trunkline.InvalidArgument) as caught:
        channel.call("pet", {"lives": 10, "name": "rex"}, codec=codec)

    assert "Cat.lives: Input should be less than or equal to 9" in caught.value.message
    assert "Dog.name: Value error, names begin with a capital" in caught.value.message
    assert "rex" not in caught.value.message and "10" not in caught.value.message


def test_the_tag_of_a_union_is_not_quoted() -> None:
    class Circle(pydantic.BaseModel):
        kind: str = "circle"

    server = trunkline.Server(threads=1)

    def area(shape: Any) -> float:
        return 1.0

    tagged = Annotated[
        Union[Annotated[Circle, pydantic.Tag("circle")], Annotated[Dog, pydantic.Tag("dog")]],
        pydantic.Discriminator(lambda value: value["kind"]),
    ]
    area.__annotations__["shape"] = tagged
    server.add("area", area)
    with testing.serve(server) as channel:
        assert channel.call("area", {"kind": "circle"}, float) == 1.0
        text = "the message: Input tag found using .*expected tags"
        with pytest.raises(trunkline.InvalidArgument, match=text) as caught:
            channel.call("area", {"kind": "secret"})
    assert "secret" not in caught.value.message


def test_a_bound_class_with_constraints_and_defaults() -> None:
    class Shares:
        def of(self, part: Percent = 25) -> float:
            return part / 100

    with testing.serve(Shares) as channel:
        assert channel.bind(Shares).of() == 0.25
        assert channel.call("Shares/of", response=float) == 0.25
        with pytest.raises(trunkline.InvalidArgument, match="Expected `int` <= 100"):
            channel.bind(Shares).of(200)

    async def ask() -> float:
        async with testing.aserve(Shares) as channel:
            share: float = await channel.call("Shares/of", response=float)
            return share

    assert asyncio.run(ask()) == 0.25
