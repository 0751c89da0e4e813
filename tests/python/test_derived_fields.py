# SPDX-License-Identifier: MIT
"""Descriptions of messages without a definition: what type hints become."""

from __future__ import annotations

import dataclasses
import datetime
import decimal
import uuid
from typing import Any, Literal

import msgspec
import pytest
import trunkline
from google.protobuf import timestamp_pb2, wrappers_pb2

from .described_types import (
    Box,
    Circle,
    Color,
    Flags,
    Level,
    Node,
    Numbers,
    Order,
    Pair,
    Person,
    Samples,
    Square,
    Tag,
    fields_of,
    file_of,
)
from .reflecting import comments, field_types, message_of

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
    (Samples, "example.TypedArray"),
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


@pytest.mark.parametrize("hint, reported", FIELDS, ids=[str(hint) for hint, _ in FIELDS])
def test_a_field(hint: Any, reported: str) -> None:
    assert fields_of(dataclasses.make_dataclass("Message", [("field", hint)])) == {"field": reported}


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
        (Samples, "example.TypedArray"),
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


def test_fields_that_may_be_left_out() -> None:
    @dataclasses.dataclass
    class Message:
        needed: int
        number: int = 3
        text: str = ""
        color: Color = Color.BLUE
        items: list[int] = dataclasses.field(default_factory=list)

    def take(message: Any) -> None: ...

    take.__annotations__ = {"message": Message, "return": None}
    file = file_of(take)
    assert field_types(message_of(file, "Message")) == {
        "needed": "int64",
        "number": "optional int64",
        "text": "optional string",
        "color": "optional string",
        "items": "repeated int64",
    }
    reported = comments(file)
    assert reported[4, 0, 2, 1] == " By default 3.\n"
    assert reported[4, 0, 2, 3] == ' One of "red", "blue". By default "blue".\n'
    assert (4, 0, 2, 2) not in reported


def test_what_may_be_unset() -> None:
    made = msgspec.defstruct("Message", [("text", str | msgspec.UnsetType, msgspec.UNSET)])
    assert fields_of(made) == {"text": "optional string"}


def test_names_on_the_wire_are_those_of_json() -> None:
    def take(square: Square, context: trunkline.Context) -> Order:
        raise NotImplementedError

    file = file_of(take)
    square, order = message_of(file, "Square"), message_of(file, "Order")
    reported = [(each.name, each.json_name) for each in square.field]
    assert reported == [("shape", "shape"), ("side_length", "side-length")]
    assert [(each.name, each.json_name) for each in order.field][0] == ("orderNumber", "orderNumber")


def test_names_that_protobuf_would_confuse_are_distinguished() -> None:
    names = ("foo_bar", "fooBar", "Foobar", "ünicode", "message")
    made = dataclasses.make_dataclass("Message", [(name, int | None) for name in names])
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


def test_types_that_refer_to_themselves_and_to_others() -> None:
    assert fields_of(Node, "Node") == {"value": "int64", "children": "repeated example.Node", "parent": "example.Node"}
