# SPDX-License-Identifier: MIT
"""Structures: protobuf messages derived from dataclasses, structs, models and the like; DerivedFile: their file."""

from __future__ import annotations

import contextlib
import dataclasses
import enum
import typing
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import msgspec
import msgspec.inspect as hints

from .._messages.arrays import TypedArray
from .._messages.types import is_array, is_protobuf, unaliased
from . import _definitions, _field_types
from ._comments import Comments, comment_of
from ._field_types import EMPTY, LIST, OBJECT, VALUE, WRAPPERS, FieldType, Kind
from ._files import Files
from ._names import Distinct, identifier, upper_snake

_OPTIONAL, _REPEATED = 1, 3
#: The fields of ``google.protobuf.FileDescriptorProto`` and ``DescriptorProto``, for the paths of comments.
_MESSAGES, _ENUMS, _FIELDS = 4, 5, 2


def messages_in(kinds: Iterable[Any]) -> list[Any]:
    """Returns the classes of protobuf messages among types and, recursively, their fields and type arguments."""
    found: list[Any] = []
    seen: list[Any] = []
    waiting = list(kinds)
    while waiting:
        kind = unaliased(waiting.pop())
        if any(kind is each or (type(kind) is type(each) and kind == each) for each in seen):
            continue
        seen.append(kind)
        if is_protobuf(kind):
            found.append(kind)
            continue
        waiting += typing.get_args(kind)
        if isinstance(kind, type) and not is_array(kind):
            with contextlib.suppress(Exception):  # hints that cannot be resolved
                waiting += typing.get_type_hints(kind).values()
    return found


class DerivedFile:
    """A file descriptor under construction."""

    def __init__(self, name: str, package: str) -> None:
        from google.protobuf import descriptor_pb2

        self.proto: Any = descriptor_pb2.FileDescriptorProto(name=name, package=package or None, syntax="proto3")
        self.comments = Comments(self.proto)
        self._imports: set[str] = set()

    def use(self, file: str) -> None:
        """Imports ``file``, which declares a type used here, unless it is this file."""
        if file != self.proto.name:
            self._imports.add(file)

    def finished(self) -> Any:
        self.proto.dependency[:] = sorted(self._imports)
        return self.proto


class _Member(NamedTuple):
    """A field of a structure."""

    name: str
    type: FieldType
    comment: str = ""


class Structures:
    """Derives a message for each type, once, in the first file that needs it."""

    def __init__(self, files: Files) -> None:
        self._files = files
        #: The full name and the file of each type.
        self._known: dict[Any, tuple[str, str]] = {}

    def message(self, kind: Any, file: DerivedFile) -> str:
        """Returns the full name of the message for a request or response of a type; ``kind`` None for no message."""
        kind = unaliased(kind)
        if kind is None or kind is type(None):
            found = EMPTY
        else:
            found = self._of_kind(kind, file)
            if not found.is_single:
                found = LIST if found.is_list else OBJECT
            elif found.may_be_missing:
                found = VALUE
        name = found.name if found.kind == Kind.MESSAGE else WRAPPERS[found.kind]
        self._import(name, file)
        return name

    def _import(self, name: str, file: DerivedFile) -> None:
        """Imports the file of one of protobuf's own messages. Those of other messages are imported as they are
        derived."""
        if name.startswith("google.protobuf."):
            home = self._files.file_of(name)
            file.use(home or self._files.add(_definitions.pool().FindFileContainingSymbol(name)))

    def _of_kind(self, kind: Any, file: DerivedFile) -> FieldType:
        try:
            hint = hints.type_info(kind)
        except Exception:  # msgspec raises various errors for types that it does not know
            return VALUE
        return self._of(hint, file)

    def _of(self, hint: hints.Type, file: DerivedFile) -> FieldType:
        if isinstance(hint, hints.Metadata):
            return self._of(hint.type, file)
        found = _field_types.scalar(hint) or self._collection(hint, file) or self._structure(hint, file)
        if found is not None:
            return found
        if isinstance(hint, hints.UnionType):
            return self._union(hint, file)
        if isinstance(hint, hints.LiteralType):
            return self._literal(hint)
        if isinstance(hint, hints.EnumType):
            return self._enumeration(hint.cls, file)
        return self._custom(hint.cls, file) if isinstance(hint, hints.CustomType) else VALUE

    def _collection(self, hint: hints.Type, file: DerivedFile) -> FieldType | None:
        if isinstance(hint, hints.DictType):
            return _field_types.map_of(self._of(hint.key_type, file), self._of(hint.value_type, file))
        if isinstance(hint, hints.TupleType):
            items = {self._of(each, file) for each in hint.item_types}
            return _field_types.list_of(items.pop()) if len(items) == 1 else LIST
        if isinstance(hint, (hints.CollectionType, hints.VarTupleType)):
            return _field_types.list_of(self._of(hint.item_type, file))
        return None

    def _union(self, hint: hints.UnionType, file: DerivedFile) -> FieldType:
        members = [each for each in hint.types if not isinstance(each, hints.NoneType)]
        found = [self._of(each, file) for each in members]
        is_optional = len(members) < len(hint.types)
        if len(found) == 1:
            return _field_types.optional(found[0]) if is_optional else found[0]
        if {each.kind for each in found} == {Kind.INT64, Kind.DOUBLE} and all(each.is_single for each in found):
            number = FieldType(Kind.DOUBLE)
            return _field_types.optional(number) if is_optional else number
        structures = [each.name.rpartition(".")[2] for each in found if each.name in self._names()]
        comment = f"One of {', '.join(structures)}." if len(structures) == len(found) else ""
        return dataclasses.replace(VALUE, comment=comment)

    def _names(self) -> set[str]:
        return {name for name, _ in self._known.values()}

    @staticmethod
    def _literal(hint: hints.LiteralType) -> FieldType:
        values = [value for value in hint.values if value is not None]
        found = _field_types.one_of(values)
        return found if len(values) == len(hint.values) else _field_types.optional(found)

    def _custom(self, kind: Any, file: DerivedFile) -> FieldType:
        if is_array(kind):
            return self._of_kind(TypedArray, file)
        if is_protobuf(kind):
            file.use(self._files.add(kind.DESCRIPTOR.file))
            return FieldType(Kind.MESSAGE, kind.DESCRIPTOR.full_name)
        if hasattr(kind, "model_fields"):
            return self._model(kind, file)
        return VALUE

    # --- enumerations ---

    def _enumeration(self, kind: type[enum.Enum], file: DerivedFile) -> FieldType:
        """Describes an enumeration. With str values it is strings; with int values it is a protobuf enumeration."""
        values = [member.value for member in kind]
        if issubclass(kind, enum.Flag):
            return FieldType(Kind.INT64)
        if not all(type(value) is int and -(2**31) <= value < 2**31 for value in values):
            return _field_types.one_of(values)
        return FieldType(Kind.ENUM, self._declare(kind, kind.__name__, file, lambda: self._add_enum(kind, file)))

    def _add_enum(self, kind: type[enum.Enum], file: DerivedFile) -> None:
        package = file.proto.package
        made = file.proto.enum_type.add(name=self._known[kind][0].rpartition(".")[2])
        file.comments.add((_ENUMS, len(file.proto.enum_type) - 1), comment_of(kind))
        prefix = upper_snake(made.name)
        distinct = Distinct()
        numbers = {int(member.value): f"{prefix}_{identifier(member.name)}" for member in kind}
        # The first value of a proto3 enumeration is 0.
        for number in sorted({0, *numbers}, key=lambda each: (each != 0, each)):
            name = distinct.take(numbers.get(number) or f"{prefix}_UNSPECIFIED")
            made.value.add(name=self._files.reserve(package, name).rpartition(".")[2], number=number)

    # --- structures ---

    def _structure(self, hint: hints.Type, file: DerivedFile) -> FieldType | None:
        if isinstance(hint, hints.NamedTupleType) or (isinstance(hint, hints.StructType) and hint.array_like):
            names = ", ".join(field.encode_name for field in hint.fields)
            return dataclasses.replace(LIST, comment=f"In this order: {names}.")
        if not isinstance(hint, (hints.StructType, hints.DataclassType, hints.TypedDictType)):
            return None

        def members() -> list[_Member]:
            tag = [self._tag(hint)] if isinstance(hint, hints.StructType) and hint.tag_field else []
            return tag + [self._member(field, file) for field in hint.fields]

        return FieldType(Kind.MESSAGE, self._declare_message(hint.cls, file, members))

    @staticmethod
    def _tag(hint: hints.StructType) -> _Member:
        kind = Kind.INT64 if isinstance(hint.tag, int) else Kind.STRING
        return _Member(str(hint.tag_field), FieldType(kind), f"Always {hint.tag!r}.".replace("'", '"'))

    def _member(self, field: hints.Field, file: DerivedFile) -> _Member:
        described = _description_of(field.type)
        found = self._of(field.type, file)
        if field.required:
            return _Member(field.encode_name, found, _joined(described, found.comment))
        comment = _joined(described, found.comment, _default_text(field.default))
        return _Member(field.encode_name, _field_types.optional(found), comment)

    def _model(self, kind: Any, file: DerivedFile) -> FieldType:
        """Describes a pydantic model."""
        fields = kind.model_fields
        if list(fields) == ["root"]:
            return self._of_kind(fields["root"].annotation, file)

        def members() -> list[_Member]:
            return [self._model_member(name, field, file) for name, field in fields.items()]

        return FieldType(Kind.MESSAGE, self._declare_message(kind, file, members))

    def _model_member(self, name: str, field: Any, file: DerivedFile) -> _Member:
        found = self._of_kind(field.annotation, file)
        comment = _joined(field.description or "", found.comment)
        if not field.is_required():
            found, comment = _field_types.optional(found), _joined(comment, _default_text(field.default))
        return _Member(field.alias or name, found, comment)

    # --- declarations ---

    def _declare(self, kind: Any, wanted: str, file: DerivedFile, fill: Callable[[], None]) -> str:
        """Returns the full name of a type. It is known before it is filled in, as types may refer to each other."""
        if kind not in self._known:
            name = self._files.reserve(file.proto.package, identifier(wanted))
            self._known[kind] = (name, file.proto.name)
            fill()
        name, home = self._known[kind]
        file.use(home)
        return name

    def _declare_message(self, kind: Any, file: DerivedFile, members: Callable[[], list[_Member]]) -> str:
        return self._declare(kind, _type_name(kind), file, lambda: self._add_message(kind, file, members))

    def _add_message(self, kind: Any, file: DerivedFile, members: Callable[[], list[_Member]]) -> None:
        index = len(file.proto.message_type)
        made = file.proto.message_type.add(name=self._known[kind][0].rpartition(".")[2])
        path = (_MESSAGES, index)
        file.comments.add(path, comment_of(typing.get_origin(kind) or kind))
        distinct = Distinct()
        missing = []
        described = members()
        for member in described:  # fields must not have the names of map entries
            if member.type.key is not None:
                distinct.reserve(_entry_name(identifier(member.name)))
        for number, member in enumerate(described, 1):
            field = made.field.add(name=distinct.take(identifier(member.name)), number=number, json_name=member.name)
            file.comments.add((*path, _FIELDS, number - 1), member.comment)
            if self._fill(field, member.type, made, file):
                missing.append(field)
        for field in missing:
            field.proto3_optional = True
            field.oneof_index = len(made.oneof_decl)
            made.oneof_decl.add(name=_oneof_name(made, field.name))

    def _fill(self, field: Any, of: FieldType, message: Any, file: DerivedFile) -> bool:
        """Fills in a field. Returns True if it needs ``optional``: it may be missing and is not a message."""
        if of.key is not None:
            self._fill_map(field, of, message, file)
            return False
        field.type = of.kind
        field.label = _REPEATED if of.is_list else _OPTIONAL
        if of.name:
            field.type_name = f".{of.name}"
        if of.kind == Kind.MESSAGE:
            self._import(of.name, file)
        return of.may_be_missing and of.kind != Kind.MESSAGE

    def _fill_map(self, field: Any, of: FieldType, message: Any, file: DerivedFile) -> None:
        # protobuf recognizes a map by this name of its entry.
        entry = message.nested_type.add(name=_entry_name(field.name))
        entry.options.map_entry = True
        entry.field.add(name="key", number=1, json_name="key", label=_OPTIONAL, type=of.key)
        value = entry.field.add(name="value", number=2, json_name="value")
        self._fill(value, dataclasses.replace(of, key=None), message, file)
        package = f".{file.proto.package}" if file.proto.package else ""
        field.type_name = f"{package}.{message.name}.{entry.name}"
        field.type, field.label = Kind.MESSAGE, _REPEATED


def _entry_name(field: str) -> str:
    return "".join(part[:1].upper() + part[1:] for part in field.split("_")) + "Entry"


def _oneof_name(message: Any, field: str) -> str:
    """Returns the name that protoc gives to the oneof of an optional field."""
    taken = {each.name for each in (*message.field, *message.oneof_decl)}
    name = f"_{field}"
    while name in taken:
        name = f"X{name}"
    return name


def _type_name(kind: Any) -> str:
    """Returns ``Box_int`` for ``Box[int]``."""
    arguments = [_type_name(each) for each in typing.get_args(kind)]
    name = getattr(typing.get_origin(kind) or kind, "__name__", "") or str(kind)
    return "_".join([name, *arguments])


def _description_of(hint: hints.Type) -> str:
    """Returns the description of a ``msgspec.Meta``; empty without one."""
    if not isinstance(hint, hints.Metadata) or not hint.extra_json_schema:
        return ""
    return str(hint.extra_json_schema.get("description", ""))


def _default_text(default: Any) -> str:
    if isinstance(default, enum.Enum):
        default = default.value
    if not isinstance(default, (bool, int, float, str)) or default == "":
        return ""
    return f"By default {msgspec.json.encode(default).decode()}."


def _joined(*sentences: str) -> str:
    return " ".join(filter(None, sentences))
