# SPDX-License-Identifier: MIT
"""Reads from msgspec whether messages of a type may have floats, and which of its parts it cannot decode."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec.inspect as hints

from .types import is_array, is_protobuf, unaliased
from .validation import pydantic_decoder

_WITH_FIELDS = (hints.StructType, hints.DataclassType, hints.TypedDictType, hints.NamedTupleType)
_MAY_BE_FLOATS = (hints.FloatType, hints.AnyType, hints.CustomType, hints.RawType)


def may_have_floats(kind: Any) -> bool:
    """Returns whether a message of the type may have a float in it, as far as its type hints say."""
    try:
        return any(isinstance(each, _MAY_BE_FLOATS) for each in types_in(hints.type_info(kind)))
    except Exception:  # msgspec raises various errors for types that it does not know
        return True


def undecodable_part(kind: Any) -> Any:
    """Returns a class in the type of which msgspec and pydantic decode no value; None if there is none. Fields that may
    be omitted may have such a class."""
    kind = unaliased(kind)
    if is_protobuf(kind) or pydantic_decoder(kind, "msgpack") is not None:
        return None
    try:
        found = hints.type_info(kind)
    except Exception:  # msgspec raises various errors for types that it does not know
        return None
    for each in types_in(found, is_required=True):
        if isinstance(each, hints.CustomType) and not _is_decodable(each.cls):
            return each.cls
    return None


def _is_decodable(kind: type) -> bool:
    """Returns whether the ``dec_hook`` of the built-in codecs makes values of the class."""
    return kind is object or is_array(kind) or is_protobuf(kind) or hasattr(kind, "model_validate")


def types_in(hint: hints.Type, *, is_required: bool = False) -> Iterator[hints.Type]:
    """Yields the type and those in it. With ``is_required``, fields that may be omitted are left out."""
    seen: set[int] = set()
    waiting = [hint]
    while waiting:
        each = waiting.pop()
        if id(each) not in seen:
            seen.add(id(each))
            yield each
            waiting += _inner(each, is_required)


def _inner(hint: hints.Type, is_required: bool) -> tuple[hints.Type, ...]:
    if isinstance(hint, hints.Metadata):
        return (hint.type,)
    if isinstance(hint, hints.UnionType):
        return hint.types
    if isinstance(hint, hints.DictType):
        return (hint.key_type, hint.value_type)
    if isinstance(hint, hints.TupleType):
        return hint.item_types
    if isinstance(hint, (hints.CollectionType, hints.VarTupleType)):
        return (hint.item_type,)
    if isinstance(hint, _WITH_FIELDS):
        return tuple(each.type for each in hint.fields if each.required or not is_required)
    return ()
