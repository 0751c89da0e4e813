# SPDX-License-Identifier: MIT
"""Messages by type hints."""

from __future__ import annotations

import collections
import dataclasses
import datetime
import enum
import pathlib
from collections.abc import Iterator
from typing import Annotated, Any, Generic, Literal, TypedDict, TypeVar

import msgspec
import numpy
import pydantic
import pytest
import trunkline
from google.protobuf import any_pb2, descriptor_pb2, duration_pb2, timestamp_pb2, wrappers_pb2
from trunkline._messages.builtin_codecs import decode_error_text, decode_errors, decoder

from .conftest import Serve

T = TypeVar("T")


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


@pytest.mark.parametrize("codec", ["msgpack", "json"])
@pytest.mark.parametrize("kind", [Point, int, Any], ids=str)
def test_an_empty_message_is_said_to_be_empty(codec: str, kind: Any) -> None:
    with pytest.raises(decode_errors()) as caught:
        decoder(kind, codec)(b"")

    assert decode_error_text(caught.value) == "the message is empty or ends too early"


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


class Opaque:
    """Has no form in any codec."""


class Tagged(Generic[T]):
    """Has no form in any codec either."""


@dataclasses.dataclass
class Holder:
    content: Opaque


@dataclasses.dataclass
class Cached:
    name: str
    opaque: Opaque | None = None
    paths: list[pathlib.Path] = dataclasses.field(default_factory=list)


class Files(TypedDict):
    paths: list[pathlib.Path]


class Opaques(trunkline.Codec):
    name = "opaques"

    def supports(self, kind: Any) -> bool:
        return kind in (Opaque, list[Opaque])

    def encode(self, message: Any) -> bytes:
        return b""

    def decode(self, data: bytes, kind: Any) -> Any:
        return Opaque()


def taker(kind: Any) -> Any:
    """A handler of requests of the type."""

    def take(request: Any) -> None: ...

    take.__annotations__["request"] = kind
    return take


@pytest.mark.parametrize(
    ("kind", "name"),
    [
        (Opaque, "Opaque"),
        (Tagged[int], "Tagged"),
        (pathlib.Path, "Path"),
        (Holder, "Opaque"),
        (list[Holder], "Opaque"),
        (Files, "Path"),
        (dict[str, Opaque], "Opaque"),
        (Opaque | None, "Opaque"),
        (Annotated[Opaque, "of the shop"], "Opaque"),
        (collections.Counter[str], "Counter"),
        (collections.defaultdict[str, int], "defaultdict"),
        (numpy.float32, "float32"),
    ],
    ids=str,
)
@pytest.mark.parametrize("is_stream", [False, True])
def test_requests_that_nothing_decodes_are_refused(kind: Any, name: str, is_stream: bool) -> None:
    with pytest.raises(TypeError, match=f"method take: .* no codec decodes {name}, which is in the type"):
        trunkline.Server().add("take", taker(Iterator[kind] if is_stream else kind))


@pytest.mark.parametrize(
    "kind",
    [
        object,
        Any,
        list,
        dict[str, Any],
        T,
        Cached,
        Order,
        list[Order | None],
        wrappers_pb2.Int32Value,
        dict[str, wrappers_pb2.Int32Value],
        numpy.ndarray,
        list[numpy.ndarray],
        bytes | None,
        msgspec.Raw,
        pydantic.AnyUrl,
        Literal["a", 1],
    ],
    ids=str,
)
def test_requests_that_are_decoded_are_not_refused(kind: Any) -> None:
    trunkline.Server().add("take", taker(kind))


def test_requests_that_the_codec_of_the_application_decodes_are_not_refused() -> None:
    server = trunkline.Server(codecs=[Opaques()])

    @server.method
    def take(request: Opaque) -> None: ...

    @server.method
    def take_all(request: list[Opaque]) -> None: ...

    with pytest.raises(TypeError, match="no codec decodes Opaque"):
        server.add("hold", taker(Holder))


@dataclasses.dataclass
class Packed:
    content: any_pb2.Any


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b'{"hunter2":1}', "unknown field hunter2"),
        (b'{"options":{"hunter2":1}}', "unknown field options.hunter2"),
        (b'{"messageType":[{"name":"a"},{"name":5}]}', "field messageType.name: its value does not match its type"),
        (b'{"options":{"javaPackage":7777}}', "field options.javaPackage: its value does not match its type"),
        (b'{"name":"a","name":"b"}', "not valid JSON"),
        (b'{"name":', "not valid JSON"),
    ],
    ids=repr,
)
def test_json_that_is_no_protobuf_message_names_the_field(content: bytes, text: str) -> None:
    with pytest.raises(decode_errors()) as caught:
        decoder(descriptor_pb2.FileDescriptorProto, "json")(content)

    assert decode_error_text(caught.value) == text


@pytest.mark.parametrize(
    "content",
    [{"@type": []}, {"@type": 5}, 5, [], {"@type": "type.googleapis.com/google.protobuf.Int32Value"}],
    ids=str,
)
@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_what_is_no_protobuf_message_in_a_structure(serve: Serve, codec: str, content: Any) -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def unpack(request: Packed) -> None: ...

    with pytest.raises(trunkline.InvalidArgument, match="does not decode as Packed"):
        serve(server).call("unpack", {"content": content}, codec=codec)
