# SPDX-License-Identifier: MIT
"""Messages by type hints."""

from __future__ import annotations

import dataclasses
import datetime
import enum
from typing import Any, TypedDict

import msgspec
import numpy
import pydantic
import pytest
import trunkline
from google.protobuf import duration_pb2, timestamp_pb2, wrappers_pb2

from .conftest import Serve


@dataclasses.dataclass
class Point:
    x: int
    y: int = 0


class Item(msgspec.Struct):
    name: str
    tags: list[str] = []


class Person(TypedDict):
    name: str
    age: int


class Order(pydantic.BaseModel):
    number: int
    items: list[str]


@pytest.fixture
def channel(serve: Serve) -> trunkline.Channel:
    server = trunkline.Server(threads=2)

    @server.method
    def mirror(request: Point) -> Point:
        return Point(request.y, request.x)

    @server.method
    def rename(request: Item) -> Item:
        return Item(request.name.upper(), request.tags)

    @server.method
    def older(request: Person) -> Person:
        return {"name": request["name"], "age": request["age"] + 1}

    @server.method
    def count(request: Order) -> Order:
        return Order(number=len(request.items), items=request.items)

    @server.method
    def anything(request: Any) -> Any:
        return request

    @server.method
    def untyped(request):  # type: ignore[no-untyped-def]
        return request

    @server.method
    def ping() -> None:
        return None

    @server.method
    def length(request: wrappers_pb2.StringValue) -> wrappers_pb2.Int64Value:
        return wrappers_pb2.Int64Value(value=len(request.value))

    return serve(server)


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_dataclass(channel: trunkline.Channel, codec: str) -> None:
    assert channel.call("mirror", Point(1, 2), Point, codec=codec) == Point(2, 1)
    assert channel.call("mirror", {"x": 1}, codec=codec) == {"x": 0, "y": 1}


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_struct(channel: trunkline.Channel, codec: str) -> None:
    assert channel.call("rename", Item("a", ["b"]), Item, codec=codec) == Item("A", ["b"])


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_typed_dict(channel: trunkline.Channel, codec: str) -> None:
    assert channel.call("older", {"name": "Ann", "age": 7}, Person, codec=codec) == {"name": "Ann", "age": 8}


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_pydantic(channel: trunkline.Channel, codec: str) -> None:
    response = channel.call("count", Order(number=0, items=["a", "b"]), Order, codec=codec)

    assert response == Order(number=2, items=["a", "b"])


@pytest.mark.parametrize("codec", ["msgpack", "json"])
@pytest.mark.parametrize("value", [None, True, 7, 1.5, "text", [1, "a", None], {"a": {"b": [1]}}], ids=repr)
def test_builtins(channel: trunkline.Channel, codec: str, value: object) -> None:
    assert channel.call("anything", value, codec=codec) == value
    assert channel.call("untyped", value, codec=codec) == value


def test_no_message(channel: trunkline.Channel) -> None:
    assert channel.call("ping") is None


def test_protobuf(channel: trunkline.Channel) -> None:
    response = channel.call("length", wrappers_pb2.StringValue(value="four"), wrappers_pb2.Int64Value)

    assert response == wrappers_pb2.Int64Value(value=4)


def test_protobuf_as_json(channel: trunkline.Channel) -> None:
    assert channel.call("length", "four", codec="json") == "4"


def test_protobuf_response_needs_its_class(channel: trunkline.Channel) -> None:
    with pytest.raises(TypeError, match="give its class"):
        channel.call("length", wrappers_pb2.StringValue(value="four"))


def test_numbers_of_numpy_are_numbers(channel: trunkline.Channel) -> None:
    sent = {
        "mean": numpy.float64(1.5),
        "count": numpy.int64(3),
        "is_good": numpy.bool_(True),
        "small": numpy.float32(0.5),
    }

    assert channel.call("anything", sent) == {"mean": 1.5, "count": 3, "is_good": True, "small": 0.5}
    assert channel.call("anything", numpy.float32(2.0), float) == 2.0


def test_protobuf_within_other_messages(channel: trunkline.Channel) -> None:
    for codec in ("msgpack", "json"):
        assert channel.call("anything", [wrappers_pb2.Int32Value(value=7)], codec=codec) == [7]
        response = channel.call(
            "anything", [wrappers_pb2.Int32Value(value=7)], list[wrappers_pb2.Int32Value], codec=codec
        )
        assert response == [wrappers_pb2.Int32Value(value=7)]


class Colour(enum.Enum):
    red = "red"


class Account(pydantic.BaseModel):
    name: str = pydantic.Field(alias="accountName")
    home: pydantic.AnyUrl
    since: datetime.datetime


@pytest.mark.parametrize("codec", ["msgpack", "json"])
def test_pydantic_there_and_back(channel: trunkline.Channel, codec: str) -> None:
    account = Account(
        accountName="ann",
        home=pydantic.AnyUrl("https://example.org/"),
        since=datetime.datetime(2026, 1, 2, tzinfo=datetime.timezone.utc),
    )

    assert channel.call("anything", account, Account, codec=codec) == account


def test_errors_of_decoding_show_no_contents(channel: trunkline.Channel, serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def paint(request: Colour) -> None: ...

    @server.method
    def open_account(request: Account) -> None: ...

    @server.method
    def number(request: wrappers_pb2.Int32Value) -> None: ...

    channel = serve(server)
    for method, request in (
        ("paint", "hunter2"),
        ("open_account", {"accountName": ["hunter2"], "home": "hunter2"}),
        ("number", "hunter2"),
    ):
        with pytest.raises(trunkline.InvalidArgument, match="does not decode as") as raised:
            channel.call(method, request, codec="json")
        assert "hunter2" not in str(raised.value)


def test_a_response_of_another_type(serve: Serve) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def number() -> int:
        return "text"  # type: ignore[return-value]

    @server.method
    def ratio() -> float:
        return 1

    @server.method
    def duration() -> duration_pb2.Duration:
        return timestamp_pb2.Timestamp(seconds=5)  # pyright: ignore[reportReturnType]

    channel = serve(server)
    with pytest.raises(trunkline.Internal):
        channel.call("number")
    assert channel.call("ratio", None, float) == 1.0
    with pytest.raises(trunkline.Internal):
        channel.call("duration", None, duration_pb2.Duration)


def test_a_response_that_needs_its_class_is_not_asked_for(serve: Serve) -> None:
    server = trunkline.Server(threads=1)
    served: list[str] = []

    @server.method
    def note(request: wrappers_pb2.StringValue) -> wrappers_pb2.StringValue:
        served.append(request.value)
        return request

    channel = serve(server)
    with pytest.raises(TypeError, match="give its class"):
        channel.call("note", wrappers_pb2.StringValue(value="x"))
    channel.call("note", wrappers_pb2.StringValue(value="y"), wrappers_pb2.StringValue)
    assert served == ["y"]


def test_a_request_that_does_not_decode(channel: trunkline.Channel) -> None:
    for method, request, codec in (
        ("mirror", {"x": "text"}, "msgpack"),
        ("mirror", [1], "json"),
        ("count", {"number": "x"}, "json"),
    ):
        with pytest.raises(trunkline.InvalidArgument, match="does not decode"):
            channel.call(method, request, codec=codec)
    with pytest.raises(trunkline.InvalidArgument, match="does not decode"):
        channel.call("length", wrappers_pb2.BytesValue(value=b"\xff"), wrappers_pb2.Int64Value)


def test_a_request_that_does_not_encode(channel: trunkline.Channel) -> None:
    with pytest.raises((TypeError, NotImplementedError)):
        channel.call("anything", object())
    with pytest.raises(TypeError, match="cannot carry"):
        channel.call("anything", b"bytes", codec="json")
    with pytest.raises(ValueError, match="not one of"):
        channel.call("anything", 1, codec="xml")
