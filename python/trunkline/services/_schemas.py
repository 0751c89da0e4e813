# SPDX-License-Identifier: MIT
"""Schemas: JSON Schema, as OpenAPI 3.1 uses it, for the types of messages."""

from __future__ import annotations

import contextlib
from collections.abc import Container, Iterable, Mapping
from typing import Any

import msgspec

from .._messages.types import bare, is_protobuf, unaliased
from .._messages.validation import is_model, is_validated_by_pydantic

Schema = dict[str, Any]


class Schemas:
    """The schemas of a set of types, with the components that they refer to."""

    def __init__(self, kinds: Iterable[Any]) -> None:
        #: The schemas to which others refer, by name.
        self.components: dict[str, Schema] = {}
        self._by_kind: list[tuple[Any, Schema]] = []
        #: The models of pydantic within types that msgspec describes.
        self._models: list[Any] = []
        validated, others = [], []
        for kind in map(unaliased, kinds):
            if is_protobuf(kind):
                self.of(kind)
            elif is_model(kind) or is_validated_by_pydantic(kind):
                validated.append(kind)
            elif self._is_known(kind):
                others.append(kind)
        # Each kind is described in one call, so that types of the same name get different ones.
        self._add(*_described_by_pydantic([*validated, *self._models]))
        try:
            self._describe_by_msgspec(others)
        except KeyError:  # by msgspec, if two classes have the same module and qualified name
            for kind in others:
                if not self.of(kind):
                    self._describe_by_msgspec([kind])

    def of(self, kind: Any) -> Schema:
        """Returns the schema of one of the types. A type that cannot be described has that of everything."""
        kind = unaliased(kind)
        if is_protobuf(kind):
            return self._message(bare(kind).DESCRIPTOR)
        for known, schema in self._by_kind:
            if known is kind or (type(known) is type(kind) and known == kind):
                return schema
        return {}

    def _is_known(self, kind: Any) -> bool:
        with contextlib.suppress(Exception):  # msgspec raises various errors for types that it does not know
            msgspec.json.schema(kind, schema_hook=self._custom)
            return True
        return False

    def _describe_by_msgspec(self, kinds: list[Any]) -> None:
        found, components = msgspec.json.schema_components(kinds, schema_hook=self._custom, ref_template=_OWN_REFERENCE)
        self._add(zip(kinds, found), components)

    def _custom(self, kind: Any) -> Schema:
        if is_protobuf(kind):
            return self._message(kind.DESCRIPTOR)
        if not is_model(kind):
            return {}
        if kind not in self._models:
            self._models.append(kind)
        return self.of(kind) or {"title": kind.__name__}  # msgspec refuses an empty schema

    def _add(self, described: Iterable[tuple[Any, Schema]], components: Mapping[str, Schema]) -> None:
        """Names the components as they are called, or otherwise if another class has the name already."""
        names = {name: self._free_name(name, components) for name in components}
        references = {_own_reference(name): _reference(chosen)["$ref"] for name, chosen in names.items()}
        self.components.update({names[name]: _with(references, schema) for name, schema in components.items()})
        self._by_kind.extend((kind, _with(references, schema)) for kind, schema in described)

    def _free_name(self, wanted: str, others: Container[str]) -> str:
        name, count = wanted, 1
        while name in self.components or (count > 1 and name in others):
            count += 1
            name = f"{wanted}{count}"
        return name

    # --- protobuf, as its JSON is ---

    def _message(self, descriptor: Any) -> Schema:
        known = _WELL_KNOWN.get(descriptor.full_name)
        if known is not None:
            return dict(known)
        name = descriptor.full_name
        if name not in self.components:
            schema: Schema = {"type": "object", "title": descriptor.name}
            self.components[name] = schema  # before its fields, which may be of the same type
            properties = {field.json_name: self._field(field) for field in descriptor.fields}
            if properties:
                schema["properties"] = properties
        return _reference(name)

    def _field(self, field: Any) -> Schema:
        message = field.message_type
        if message is not None and message.GetOptions().map_entry:
            return {"type": "object", "additionalProperties": self._single(message.fields_by_name["value"])}
        is_list = getattr(field, "is_repeated", None)
        if is_list is None:
            is_list = field.label == field.LABEL_REPEATED
        return {"type": "array", "items": self._single(field)} if is_list else self._single(field)

    def _single(self, field: Any) -> Schema:
        if field.message_type is not None:
            return self._message(field.message_type)
        if field.enum_type is not None:
            return self._enumeration(field.enum_type)
        return dict(_SCALARS[field.type])

    def _enumeration(self, descriptor: Any) -> Schema:
        if descriptor.full_name == "google.protobuf.NullValue":
            return {"type": "null"}
        name = descriptor.full_name
        if name not in self.components:
            names = [value.name for value in descriptor.values]
            self.components[name] = {"type": "string", "title": descriptor.name, "enum": names}
        return _reference(name)


#: The references to components that have not got their names yet.
_OWN_REFERENCE = "#/unset/{name}"


def _own_reference(name: str) -> str:
    return _OWN_REFERENCE.format(name=name)


def _reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _with(references: Mapping[str, str], value: Any) -> Any:
    """Returns a schema with other references."""
    if isinstance(value, dict):
        return {key: _with(references, each) for key, each in value.items()}
    if isinstance(value, list):
        return [_with(references, each) for each in value]
    return references.get(value, value) if isinstance(value, str) else value


def _described_by_pydantic(kinds: Iterable[Any]) -> tuple[list[tuple[Any, Schema]], dict[str, Schema]]:
    """Returns the types that pydantic knows, with their schemas; and the components."""
    kinds = list(kinds)
    if not kinds:
        return [], {}
    import pydantic

    adapters: list[tuple[Any, pydantic.TypeAdapter[Any]]] = []
    for kind in kinds:
        with contextlib.suppress(Exception):  # of various classes, for types without a schema
            adapter = pydantic.TypeAdapter(kind)
            adapter.json_schema()
            adapters.append((kind, adapter))
    found, definitions = pydantic.TypeAdapter.json_schemas(
        [(number, "validation", adapter) for number, (_, adapter) in enumerate(adapters)],
        ref_template=_OWN_REFERENCE.replace("name", "model"),
    )
    described = [(kind, found[number, "validation"]) for number, (kind, _) in enumerate(adapters)]
    return described, definitions.get("$defs", {})


_INT32: Schema = {"type": "integer", "format": "int32"}
_UINT32: Schema = {"type": "integer", "format": "int64", "minimum": 0, "maximum": 2**32 - 1}
#: JSON has these integers as strings; numbers are understood too.
_INT64: Schema = {"type": ["string", "integer"], "format": "int64"}
_UINT64: Schema = {"type": ["string", "integer"], "format": "uint64"}
_BYTES: Schema = {"type": "string", "contentEncoding": "base64"}
#: JSON has infinite numbers and NaN as strings.
_FLOAT: Schema = {"type": ["number", "string"], "format": "float"}
_DOUBLE: Schema = {"type": ["number", "string"], "format": "double"}
_TEXT: Schema = {"type": "string"}
_BOOL: Schema = {"type": "boolean"}

#: The schemas by the numbers of ``google.protobuf.FieldDescriptorProto.Type``.
_SCALARS: dict[int, Schema] = {
    1: _DOUBLE, 2: _FLOAT, 3: _INT64, 4: _UINT64, 5: _INT32, 6: _UINT64, 7: _UINT32, 8: _BOOL, 9: _TEXT, 12: _BYTES,
    13: _UINT32, 15: _INT32, 16: _INT64, 17: _INT32, 18: _INT64,
}  # fmt: skip

_WELL_KNOWN: dict[str, Schema] = {
    f"google.protobuf.{name}": schema
    for name, schema in {
        "Any": {"type": "object", "properties": {"@type": {"type": "string"}}, "required": ["@type"]},
        "BoolValue": _BOOL,
        "BytesValue": _BYTES,
        "DoubleValue": _DOUBLE,
        "Duration": {"type": "string", "description": "Seconds with up to nine decimals, and s."},
        "Empty": {"type": "object"},
        "FieldMask": {"type": "string", "description": "Paths with commas between them."},
        "FloatValue": _FLOAT,
        "Int32Value": _INT32,
        "Int64Value": _INT64,
        "ListValue": {"type": "array", "items": {}},
        "StringValue": _TEXT,
        "Struct": {"type": "object"},
        "Timestamp": {"type": "string", "format": "date-time"},
        "UInt32Value": _UINT32,
        "UInt64Value": _UINT64,
        "Value": {},
    }.items()
}
