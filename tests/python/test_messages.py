# SPDX-License-Identifier: MIT
"""Messages by type hints."""

from __future__ import annotations

import dataclasses
from typing import Any, Optional, TypedDict

import msgspec
import numpy
import numpy.typing
import pydantic
import pytest
from google.protobuf import wrappers_pb2

import trunkline

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

    @server.method
    def total(request: memoryview) -> bytes:
        return bytes(numpy.frombuffer(request, dtype=numpy.float64).sum().tobytes())

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
    answer = channel.call("count", Order(number=0, items=["a", "b"]), Order, codec=codec)

    assert answer == Order(number=2, items=["a", "b"])


@pytest.mark.parametrize("codec", ["msgpack", "json"])
@pytest.mark.parametrize("value", [None, True, 7, 1.5, "text", [1, "a", None], {"a": {"b": [1]}}], ids=repr)
def test_builtins(channel: trunkline.Channel, codec: str, value: object) -> None:
    assert channel.call("anything", value, codec=codec) == value
    assert channel.call("untyped", value, codec=codec) == value


def test_no_message(channel: trunkline.Channel) -> None:
    assert channel.call("ping") is None


def test_protobuf(channel: trunkline.Channel) -> None:
    answer = channel.call("length", wrappers_pb2.StringValue(value="four"), wrappers_pb2.Int64Value)

    assert answer == wrappers_pb2.Int64Value(value=4)


def test_protobuf_as_json(channel: trunkline.Channel) -> None:
    assert channel.call("length", "four", codec="json") == "4"


def test_protobuf_response_needs_its_class(channel: trunkline.Channel) -> None:
    with pytest.raises(TypeError, match="give its class"):
        channel.call("length", wrappers_pb2.StringValue(value="four"))


def test_numpy_buffers(channel: trunkline.Channel) -> None:
    numbers = numpy.arange(100_000, dtype=numpy.float64)

    answer = channel.call("total", numbers, memoryview)

    assert numpy.frombuffer(answer, dtype=numpy.float64)[0] == numbers.sum()


def test_hints_of_numpy(serve: Serve) -> None:
    server = trunkline.Server(threads=2)

    def size(request: Any) -> bytes:
        return str(len(request)).encode()

    def count(request: Any) -> int:
        return len(request)

    for number, hint in enumerate((numpy.ndarray, numpy.typing.NDArray[numpy.float64], Optional[bytes])):
        for function in (size, count):
            function.__annotations__["request"] = hint
            server.add(f"{function.__name__}{number}", function)
    channel = serve(server)
    numbers = numpy.arange(3, dtype=numpy.float64)

    for number in range(3):
        assert channel.call(f"size{number}", numbers) == b"24"
        assert channel.call(f"count{number}", numbers, int) == 24


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
    with pytest.raises(TypeError, match="does not fit"):
        channel.call("anything", b"bytes", codec="json")
    with pytest.raises(ValueError, match="none of"):
        channel.call("anything", 1, codec="xml")
