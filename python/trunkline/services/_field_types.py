# SPDX-License-Identifier: MIT
"""FieldType: what protobuf has for a value of a type hint, as far as it goes without the structures."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

import msgspec.inspect as hints


class Kind(enum.IntEnum):
    """With the numbers of ``google.protobuf.FieldDescriptorProto.Type``."""

    DOUBLE = 1
    INT64 = 3
    BOOL = 8
    STRING = 9
    MESSAGE = 11
    BYTES = 12
    ENUM = 14


@dataclasses.dataclass(frozen=True)
class FieldType:
    """``name``: of a message or an enum, its full one. ``key``: of a map, of which this is the type of the values."""

    kind: Kind
    name: str = ""
    is_list: bool = False
    may_be_missing: bool = False
    key: Kind | None = None
    comment: str = ""

    @property
    def is_single(self) -> bool:
        return not self.is_list and self.key is None


VALUE = FieldType(Kind.MESSAGE, "google.protobuf.Value")
LIST = FieldType(Kind.MESSAGE, "google.protobuf.ListValue")
OBJECT = FieldType(Kind.MESSAGE, "google.protobuf.Struct")
EMPTY = FieldType(Kind.MESSAGE, "google.protobuf.Empty")

#: Each is a message by itself, for requests and responses that are no structures.
WRAPPERS = {
    Kind.DOUBLE: "google.protobuf.DoubleValue",
    Kind.INT64: "google.protobuf.Int64Value",
    Kind.BOOL: "google.protobuf.BoolValue",
    Kind.STRING: "google.protobuf.StringValue",
    Kind.BYTES: "google.protobuf.BytesValue",
    Kind.ENUM: "google.protobuf.Int64Value",
}

_TEXTS = (
    hints.StrType,
    hints.DateTimeType,
    hints.DateType,
    hints.TimeType,
    hints.TimeDeltaType,
    hints.UUIDType,
    hints.DecimalType,
)
_SCALARS: tuple[tuple[Any, Kind], ...] = (
    (hints.BoolType, Kind.BOOL),
    (hints.IntType, Kind.INT64),
    (hints.FloatType, Kind.DOUBLE),
    (_TEXTS, Kind.STRING),
    ((hints.BytesType, hints.ByteArrayType, hints.MemoryViewType), Kind.BYTES),
)


def scalar(hint: hints.Type) -> FieldType | None:
    """None for what is no scalar."""
    for types, kind in _SCALARS:
        if isinstance(hint, types):
            return FieldType(kind)
    return None


def one_of(values: Any) -> FieldType:
    """A value out of a few: of their kind, which a comment names."""
    told = ", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in values)
    comment = f"One of {told}."
    if all(isinstance(value, str) for value in values):
        return FieldType(Kind.STRING, comment=comment)
    if all(type(value) is int for value in values):
        return FieldType(Kind.INT64, comment=comment)
    return dataclasses.replace(VALUE, comment=comment)


def item(of: FieldType) -> FieldType:
    """As the item of a list or the value of a map, which are neither lists, maps nor missing."""
    if of.is_list:
        return LIST
    if of.key is not None:
        return OBJECT
    return VALUE if of.may_be_missing else of


def list_of(items: FieldType) -> FieldType:
    if items == VALUE:
        return LIST
    return dataclasses.replace(item(items), is_list=True, comment=items.comment)


def map_of(key: FieldType, values: FieldType) -> FieldType:
    if values == VALUE or not key.is_single or key.kind not in (Kind.STRING, Kind.INT64, Kind.BOOL):
        return OBJECT
    return dataclasses.replace(item(values), key=key.kind, comment=values.comment)


def optional(of: FieldType) -> FieldType:
    """It may be left out, which lists and maps may be by being empty, and messages always."""
    return dataclasses.replace(of, may_be_missing=of.is_single and of.name != VALUE.name)
