# SPDX-License-Identifier: MIT
"""Descriptions of services without a definition: what type hints, names and docstrings become."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import enum
import uuid
from collections.abc import Callable, Iterator
from typing import Annotated, Any, Generic, Literal, NamedTuple, TypedDict, TypeVar

import msgspec
import numpy
import numpy.typing
import pydantic
import pytest
from google.protobuf import timestamp_pb2, wrappers_pb2

import trunkline
from trunkline import aio, testing
from trunkline.services import add_reflection

from .reflecting import comments, described, facts_of, field_types, message_of, services

Samples = numpy.typing.NDArray[numpy.float32]
Item = TypeVar("Item")


class Color(enum.Enum):
    """Of paint."""

    RED = "red"
    BLUE = "blue"


class Level(enum.IntEnum):
    """How loud."""

    LOW = 1
    High = 5
    HIGH = 6


class Flags(enum.IntFlag):
    A = 1


class Tag(NamedTuple):
    name: str
    weight: int


@dataclasses.dataclass
class Node:
    value: int
    children: list[Node] = dataclasses.field(default_factory=list)
    parent: Node | None = None


class Circle(msgspec.Struct, tag_field="shape", tag="circle"):
    """Round."""

    radius: Annotated[float, msgspec.Meta(description="In metres.")] = 1.5


class Square(msgspec.Struct, tag_field="shape", tag="square", rename={"side": "side-length"}):
    side: float


class Pair(msgspec.Struct, array_like=True):
    a: int
    b: int


class Person(TypedDict, total=False):
    name: str


class Order(pydantic.BaseModel):
    """What somebody wants."""

    number: int = pydantic.Field(alias="orderNumber", description="Unique.")
    lines: list[str] = []
    next: Order | None = None


class Numbers(pydantic.RootModel[list[int]]):
    """Some."""


@dataclasses.dataclass
class Box(Generic[Item]):
    item: Item


def file_of(*handlers: Callable[..., Any], name: str = "example.Service") -> Any:
    """Of a service with these methods, as a pool accepts it."""
    server = trunkline.Server(threads=1)
    add_reflection(server)
    for handler in handlers:
        server.add(f"{name}/{handler.__name__}", handler)
    with testing.serve(server) as channel:
        file, _ = described(channel, name)
    return file


def fields_of(hint: Any, name: str = "Message") -> dict[str, str]:
    def take(message: Any) -> None: ...

    take.__annotations__ = {"message": hint, "return": None}
    return field_types(message_of(file_of(take), name))


FIELDS: list[tuple[Any, str]] = [
    (bool, "bool"),
    (int, "int64"),
    (float, "double"),
    (str, "string"),
    (bytes, "bytes"),
    (bytearray, "bytes"),
    (datetime.datetime, "string"),
    (datetime.date, "string"),
    (datetime.timedelta, "string"),
    (uuid.UUID, "string"),
    (decimal.Decimal, "string"),
    (Samples, "bytes"),
    (Any, "google.protobuf.Value"),
    (None, "google.protobuf.Value"),
    (int | None, "optional int64"),
    (int | float, "double"),
    (int | float | None, "optional double"),
    (int | str, "google.protobuf.Value"),
    (Node | None, "example.Node"),
    (list, "google.protobuf.ListValue"),
    (list[int], "repeated int64"),
    (list[Any], "google.protobuf.ListValue"),
    (list[list[int]], "repeated google.protobuf.ListValue"),
    (list[dict[str, int]], "repeated google.protobuf.Struct"),
    (list[int | None], "repeated google.protobuf.Value"),
    (list[Node], "repeated example.Node"),
    (set[str], "repeated string"),
    (frozenset[bytes], "repeated bytes"),
    (tuple[int, ...], "repeated int64"),
    (tuple[int, int], "repeated int64"),
    (tuple[int, str], "google.protobuf.ListValue"),
    (tuple[()], "google.protobuf.ListValue"),
    (dict, "google.protobuf.Struct"),
    (dict[str, int], "map<string, int64>"),
    (dict[int, Node], "map<int64, example.Node>"),
    (dict[str, list[int]], "map<string, google.protobuf.ListValue>"),
    (dict[str, Any], "google.protobuf.Struct"),
    (dict[float, int], "google.protobuf.Struct"),
    (dict[Color, int], "map<string, int64>"),
    (Color, "string"),
    (Level, "example.Level"),
    (Level | None, "optional example.Level"),
    (list[Level], "repeated example.Level"),
    (Flags, "int64"),
    (Literal["a", "b"], "string"),
    (Literal["a", None], "optional string"),
    (Literal[1, 2], "int64"),
    (Literal[1, "a"], "google.protobuf.Value"),
    (Tag, "google.protobuf.ListValue"),
    (Pair, "google.protobuf.ListValue"),
    (Circle | Square, "google.protobuf.Value"),
    (Person, "example.Person"),
    (Order, "example.Order"),
    (Numbers, "repeated int64"),
    (Box[int], "example.Box_int"),
    (timestamp_pb2.Timestamp, "google.protobuf.Timestamp"),
    (list[timestamp_pb2.Timestamp], "repeated google.protobuf.Timestamp"),
    (msgspec.Raw, "google.protobuf.Value"),
]


@pytest.mark.parametrize("hint, told", FIELDS, ids=[str(hint) for hint, _ in FIELDS])
def test_a_field(hint: Any, told: str) -> None:
    assert fields_of(dataclasses.make_dataclass("Message", [("field", hint)])) == {"field": told}


@pytest.mark.parametrize(
    "hint, name",
    [
        (None, "google.protobuf.Empty"),
        (Any, "google.protobuf.Value"),
        (bool, "google.protobuf.BoolValue"),
        (int, "google.protobuf.Int64Value"),
        (float, "google.protobuf.DoubleValue"),
        (str, "google.protobuf.StringValue"),
        (bytes, "google.protobuf.BytesValue"),
        (memoryview, "google.protobuf.BytesValue"),
        (Samples, "google.protobuf.BytesValue"),
        (Color, "google.protobuf.StringValue"),
        (Level, "google.protobuf.Int64Value"),
        (int | None, "google.protobuf.Value"),
        (Node | None, "google.protobuf.Value"),
        (list[Node], "google.protobuf.ListValue"),
        (Numbers, "google.protobuf.ListValue"),
        (dict[str, int], "google.protobuf.Struct"),
        (Node, "example.Node"),
        (wrappers_pb2.Int32Value, "google.protobuf.Int32Value"),
    ],
)
def test_a_message(hint: Any, name: str) -> None:
    def take(message: Any) -> Any:
        raise NotImplementedError

    take.__annotations__ = {"message": hint, "return": hint}
    (method,) = file_of(take).service[0].method
    assert (method.input_type, method.output_type) == (f".{name}", f".{name}")


def test_handlers_without_hints_without_requests_and_with_a_context() -> None:
    def untyped(request):  # type: ignore[no-untyped-def]
        return request

    def nothing() -> None: ...

    def told(context: trunkline.Context) -> str:
        return ""

    methods = file_of(untyped, nothing, told).service[0].method
    value, empty, text = "Value", "Empty", "StringValue"
    assert [(each.name, each.input_type[17:], each.output_type[17:]) for each in methods] == [
        ("nothing", empty, empty),
        ("told", empty, text),
        ("untyped", value, value),
    ]


def test_streams() -> None:
    def down(request: int) -> Iterator[str]:
        raise NotImplementedError

    def up(requests: Iterator[int]) -> str:
        raise NotImplementedError

    def both(requests: Iterator[int]) -> Iterator[str]:
        raise NotImplementedError

    methods = file_of(down, up, both).service[0].method
    assert {each.name: (each.client_streaming, each.server_streaming) for each in methods} == {
        "both": (True, True),
        "down": (False, True),
        "up": (True, False),
    }


def test_the_option_says_codec_and_path() -> None:
    server = trunkline.Server()
    add_reflection(server)

    def mixed(request: wrappers_pb2.Int32Value) -> int:
        raise NotImplementedError

    def raw(request: bytes) -> bytes:
        raise NotImplementedError

    server.add("a.Service/plain", lambda: 1, idempotent=True)
    server.add("a.Service/mixed", mixed)
    server.add("a.Service/raw", raw)
    server.add("Arith.Multiply", lambda: 1)
    server.add("/b.Service/slash", lambda: 1)
    server.add("more-than letters", lambda: 1)
    with testing.serve(server) as channel:
        file, pool = described(channel, "a.Service")
        arith, _ = described(channel, "Arith")
        slash, _ = described(channel, "b.Service")
        gathered, _ = described(channel, "trunkline.Methods")

    facts = {name: facts_of(file, name) for name in ("plain", "mixed", "raw")}
    assert {name: (each.path, each.codec) for name, each in facts.items()} == {
        "plain": ("", "msgpack"),
        "mixed": ("", "json"),
        "raw": ("", "msgpack"),
    }
    assert [each.options.idempotency_level for each in file.service[0].method] == [0, 2, 0]
    assert facts_of(arith, "Multiply").path == "Arith.Multiply"
    assert facts_of(slash, "slash").path == "/b.Service/slash"
    assert facts_of(gathered, "more_than_letters").path == "more-than letters"


def test_protobuf_messages_under_a_name_without_a_definition_have_no_codec() -> None:
    def stamp(request: timestamp_pb2.Timestamp) -> timestamp_pb2.Timestamp:
        raise NotImplementedError

    file = file_of(stamp)
    assert not file.service[0].method[0].HasField("options")
    assert list(file.dependency) == ["google/protobuf/timestamp.proto"]


def test_fields_that_may_be_left_out() -> None:
    @dataclasses.dataclass
    class Message:
        needed: int
        number: int = 3
        text: str = ""
        color: Color = Color.BLUE
        items: list[int] = dataclasses.field(default_factory=list)

    globals()["Message"] = Message

    def take(message: Message) -> None: ...

    take.__annotations__ = {"message": Message, "return": None}
    file = file_of(take)
    assert field_types(message_of(file, "Message")) == {
        "needed": "int64",
        "number": "optional int64",
        "text": "optional string",
        "color": "optional string",
        "items": "repeated int64",
    }
    told = comments(file)
    assert told[4, 0, 2, 1] == " By default 3.\n"
    assert told[4, 0, 2, 3] == ' One of "red", "blue". By default "blue".\n'
    assert (4, 0, 2, 2) not in told


def test_what_may_be_unset() -> None:
    made = msgspec.defstruct("Message", [("text", str | msgspec.UnsetType, msgspec.UNSET)])
    assert fields_of(made) == {"text": "optional string"}


def test_names_on_the_wire_are_those_of_json() -> None:
    def take(square: Square, context: trunkline.Context) -> Order:
        raise NotImplementedError

    file = file_of(take)
    square, order = message_of(file, "Square"), message_of(file, "Order")
    assert [(each.name, each.json_name) for each in square.field] == [("shape", "shape"), ("side_length", "side-length")]
    assert [(each.name, each.json_name) for each in order.field][0] == ("orderNumber", "orderNumber")


def test_names_that_protobuf_would_confuse_are_told_apart() -> None:
    made = dataclasses.make_dataclass("Message", [(name, int | None) for name in ("foo_bar", "fooBar", "Foobar", "ünicode", "message")])
    assert list(fields_of(made)) == ["foo_bar", "fooBar_2", "Foobar_3", "_nicode", "message"]


def test_enumerations() -> None:
    def take(message: Any) -> None: ...

    take.__annotations__ = {"message": dataclasses.make_dataclass("Message", [("field", Level)]), "return": None}

    file = file_of(take)

    (found,) = file.enum_type
    assert [(value.name, value.number) for value in found.value] == [
        ("LEVEL_UNSPECIFIED", 0),
        ("LEVEL_LOW", 1),
        ("LEVEL_High", 5),
        ("LEVEL_HIGH_2", 6),
    ]
    assert comments(file)[5, 0] == " How loud.\n"


class Shop:
    """Sells things.

    All day.
    """

    __trunkline_service__ = "example.Shop"

    def open(self, circle: Circle) -> Order:
        """Opens it."""
        raise NotImplementedError

    def quiet(self, node: Node) -> None: ...


@pytest.mark.parametrize("make", [trunkline.Server, aio.Server])
def test_docstrings_become_comments(make: Any) -> None:
    server = make()
    add_reflection(server)
    server.add_service(Shop)

    with testing.serve(server) as channel:
        file, _ = described(channel, "example.Shop")

    assert file.name == "trunkline/derived/example.Shop.proto"
    index = {message.name: number for number, message in enumerate(file.message_type)}
    told = comments(file)
    assert told[6, 0] == " Sells things.\n\n All day.\n"
    assert told[6, 0, 2, 0] == " Opens it.\n"
    assert told[4, index["Circle"]] == " Round.\n"
    assert told[4, index["Circle"], 2, 0] == ' Always "circle".\n'
    assert told[4, index["Circle"], 2, 1] == " In metres. By default 1.5.\n"
    assert told[4, index["Order"]] == " What somebody wants.\n"
    assert told[4, index["Order"], 2, 0] == " Unique.\n"
    assert (4, index["Node"]) not in told
    assert (6, 0, 2, 1) not in told


def test_types_that_refer_to_themselves_and_to_others() -> None:
    assert fields_of(Node, "Node") == {"value": "int64", "children": "repeated example.Node", "parent": "example.Node"}


def test_services_share_types_and_each_is_whole() -> None:
    def take(node: Node) -> Node:
        return node

    server = trunkline.Server()
    add_reflection(server)
    for name in ("a.One/take", "a.Two/take", "b.c.Three/take", "take"):
        server.add(name, take)
    with testing.serve(server) as channel:
        files = {name: described(channel, name)[0] for name in ("a.One", "a.Two", "b.c.Three", "trunkline.Methods")}

    types = {name: file.service[0].method[0].input_type for name, file in files.items()}
    assert len(set(types.values())) == 1
    assert sum(len(file.message_type) for file in files.values()) == 1


def test_types_of_the_same_name_are_told_apart() -> None:
    first = dataclasses.make_dataclass("Thing", [("a", int)])
    second = dataclasses.make_dataclass("Thing", [("b", int)])

    def take(thing: Any) -> Any:
        raise NotImplementedError

    take.__annotations__ = {"thing": first, "return": second}
    file = file_of(take)
    assert [message.name for message in file.message_type] == ["Thing", "Thing_"]


def test_a_type_and_its_service_of_the_same_name() -> None:
    def take(node: Node) -> None: ...

    file = file_of(take, name="example.Node")
    assert (file.service[0].name, file.message_type[0].name) == ("Node", "Node_")


@pytest.mark.parametrize(
    "names, found",
    [
        (["my-service/x", "my_service/x"], ["my_service"]),
        (["1st/x"], ["_1st"]),
        (["a/x", "a.b/y"], ["a.b", "trunkline.Methods"]),
        (["grpc/x"], ["trunkline.Methods"]),
        (["grpc.reflection.v1.ServerReflection/other"], ["trunkline.Methods"]),
        (["grpc.reflection.v1.ServerReflection.Inner/x"], ["trunkline.Methods"]),
        (["trunkline.Methods/x", "x"], ["trunkline.Methods"]),
        (["trunkline/x"], ["trunkline.Methods"]),
        (["trunkline.Methods.Inner/x", "x"], ["trunkline.Methods"]),
        (["a//x", "a..b/x", ".", "/", "..", "é/é"], ["_", "a._.b", "trunkline.Methods"]),
    ],
)
def test_names_of_services_that_clash_or_are_none(names: list[str], found: list[str]) -> None:
    server = trunkline.Server()
    add_reflection(server)
    for name in names:
        server.add(name, lambda: None)

    with testing.serve(server) as channel:
        told = [name for name in services(channel) if not name.startswith("grpc.reflection")]
        assert told == found
        paths = []
        for service in told:
            file, _ = described(channel, service)
            for method in file.service[0].method:
                paths.append(facts_of(file, method.name).path or f"{service}/{method.name}")
        assert sorted(paths) == sorted(names)
