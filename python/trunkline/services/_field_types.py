# SPDX-License-Identifier: MIT
"""FieldType: the protobuf type for a type hint. This module covers scalars, lists and maps; _structures covers the
rest."""

from __future__ import annotations

import dataclasses
import enum
from typing import Any

import msgspec.inspect as hints


class Kind(enum.IntEnum):
    """The kind of a field, with the numbers of ``google.protobuf.FieldDescriptorProto.Type``."""

    DOUBLE = 1
    INT64 = 3
    BOOL = 8
    STRING = 9
    MESSAGE = 11
    BYTES = 12
    ENUM = 14


@dataclasses.dataclass(frozen=True)
class FieldType:
    """The type of a field. ``name`` is the full name of a message or enum, and ``key`` the key type of a map; the rest
    is then the type of its values."""

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

#: The messages that wrap a scalar, for requests and responses that are not structures.
WRAPPERS = {
    Kind.DOUBLE: "google.protobuf.DoubleValue",
    Kind.INT64: "google.protobuf.Int64Value",
    Kind.BOOL: "google.protobuf.BoolValue",
    Kind.STRING: "google.protobuf.StringValue",
    Kind.BYTES: "google.protobuf.BytesValue",
    Kind.ENUM: "google.protobuf.Int64Value",
}

_STRINGS = (
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
    (_STRINGS, Kind.STRING),
    ((hints.BytesType, hints.ByteArrayType, hints.MemoryViewType), Kind.BYTES),
)


def scalar(hint: hints.Type) -> FieldType | None:
    """Returns the type of a scalar; None for another hint."""
    for types, kind in _SCALARS:
        if isinstance(hint, types):
            return FieldType(kind)
    return None


def one_of(values: Any) -> FieldType:
    """Returns the type of an enumeration of values, which the comment lists."""
    listed = ", ".join(f'"{value}"' if isinstance(value, str) else str(value) for value in values)
    comment = f"One of {listed}."
    if all(isinstance(value, str) for value in values):
        return FieldType(Kind.STRING, comment=comment)
    if all(type(value) is int for value in values):
        return FieldType(Kind.INT64, comment=comment)
    return dataclasses.replace(VALUE, comment=comment)


def item(of: FieldType) -> FieldType:
    """Returns the type as an item of a list or value of a map, which can be neither list nor map nor missing."""
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
    """Returns the type of a field that may be missing. A list or map is then empty; a message may always be missing."""
    return dataclasses.replace(of, may_be_missing=of.is_single and of.name != VALUE.name)
