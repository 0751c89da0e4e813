# SPDX-License-Identifier: MIT
"""collision_check: refuses messages whose keys or items are chosen to have the same hash."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec.inspect as hints

from .. import _core
from .inspection import types_in
from .validation import adapter_of, is_model, maps_in, pydantic_decoder, schema_of

#: Shorter messages have too few items for many collisions.
_MIN_BYTES = 10_000

#: Keys and items of sets whose hashes nobody can foretell, or of which few have the same. A tuple, an instance of a
#: class and a UUID have hashes that can be foretold, as Python does not randomize those of numbers.
_SAFE = (
    hints.StrType,
    hints.BytesType,
    hints.ByteArrayType,
    hints.MemoryViewType,
    hints.BoolType,
    hints.NoneType,
    hints.FloatType,
    hints.DateTimeType,
    hints.DateType,
    hints.TimeType,
    hints.TimeDeltaType,
    hints.EnumType,
    hints.LiteralType,
)
#: The types in pydantic's schemas that correspond to those of ``_SAFE``.
_SAFE_SCHEMAS = frozenset(
    ("str", "bytes", "bool", "none", "float", "datetime", "date", "time", "timedelta", "enum", "literal", "url")
)


def collision_check(kind: Any, codec: str) -> Callable[[Any], None] | None:
    """Returns a function that raises ValueError for the bytes of a message with so many keys of a map, or items of a
    set, of the same hash that it would take long to decode. None for types without such parts. ``codec``: ``json`` or
    ``msgpack``."""
    parts = _Parts(codec)
    parts.look_at(kind)
    if not parts.has_maps and not parts.has_sets:
        return None
    is_json, has_sets, forms = codec == "json", parts.has_sets, tuple(sorted(parts.forms))

    def check(data: Any) -> None:
        if len(data) < _MIN_BYTES:
            return
        for form in forms:
            if _core.has_collisions(data, is_json, form, has_sets):
                raise ValueError(
                    f"more than {_core.MAX_COLLISIONS} keys of a map, or items of a list, have the same hash"
                )

    return check


class _Parts:
    """Looks through a type for the parts that it has in it."""

    def __init__(self, codec: str) -> None:
        self._is_json = codec == "json"
        self._codec = codec
        self.has_maps = False
        self.has_sets = False
        #: The forms in which the texts in its messages may be decoded.
        self.forms = {"text"}

    def look_at(self, kind: Any) -> None:
        if pydantic_decoder(kind, self._codec) is not None:
            self._look_at_schema(schema_of(adapter_of(kind)))
            return
        try:
            found = list(types_in(hints.type_info(kind)))
        except Exception:  # msgspec raises various errors for types that it does not know
            self.has_maps = self.has_sets = True
            return
        for each in found:
            self._look_at_hint(each)

    def _look_at_hint(self, hint: hints.Type) -> None:
        if isinstance(hint, (hints.SetType, hints.FrozenSetType)):
            self.has_sets |= self._is_weak(hint.item_type)
        elif isinstance(hint, hints.DictType):
            # In JSON keys of any type remain texts.
            self.has_maps |= not (self._is_json and isinstance(hint.key_type, hints.AnyType)) and self._is_weak(
                hint.key_type
            )
        elif isinstance(hint, hints.DecimalType):
            self.forms.add("decimal")
        elif isinstance(hint, hints.UUIDType):
            self.forms.add("uuid")
        elif isinstance(hint, hints.CustomType) and is_model(hint.cls):
            self._look_at_schema(schema_of(hint.cls))
        elif isinstance(hint, (hints.AnyType, hints.CustomType, hints.RawType)):
            # MessagePack has arrays as keys, which become tuples.
            self.has_maps |= not self._is_json

    def _is_weak(self, hint: hints.Type) -> bool:
        for each in _members(hint):
            if isinstance(each, hints.IntType):
                # At most 12 integers of MessagePack have the same hash.
                if self._is_json:
                    return True
            elif not isinstance(each, _SAFE):
                return True
        return False

    def _look_at_schema(self, schema: Any) -> None:
        self.has_maps |= not self._is_json
        self.forms |= {"decimal", "uuid"}
        for each in maps_in(schema):
            if each.get("type") in ("set", "frozenset"):
                self.has_sets |= _is_weak_schema(each.get("items_schema"))
            elif each.get("type") == "dict" and each.get("keys_schema") is not None:
                self.has_maps |= _is_weak_schema(each["keys_schema"])


def _members(hint: hints.Type) -> Iterator[hints.Type]:
    if isinstance(hint, hints.Metadata):
        yield from _members(hint.type)
    elif isinstance(hint, hints.UnionType):
        for each in hint.types:
            yield from _members(each)
    else:
        yield hint


def _is_weak_schema(schema: Mapping[str, Any] | None) -> bool:
    return schema is None or schema.get("type") not in _SAFE_SCHEMAS
