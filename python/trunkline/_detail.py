# SPDX-License-Identifier: MIT
"""Detail: a typed message that comes with a status: one of protobuf, or a structure such as a dataclass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import msgspec

from ._messages.validation import built_model, dumped_model

#: The beginnings of type URLs: of protobuf messages, and of structures in MessagePack.
_PROTOBUF = "type.googleapis.com/"
_STRUCTURE = "trunkline.msgpack/"

#: The attributes that classes of structures have: dataclasses, ``msgspec.Struct``, attrs, pydantic models.
_MARKS = ("__dataclass_fields__", "__struct_fields__", "__attrs_attrs__", "__pydantic_fields__")


class Detail(NamedTuple):
    """One detail of a status: the fields of a ``google.protobuf.Any``."""

    type_url: str
    value: bytes

    @classmethod
    def of(cls, detail: Any) -> Detail:
        """Makes a detail from a ``Detail``, a pair of a type URL and bytes, a protobuf message, or a structure: a
        dataclass, a ``msgspec.Struct``, an attrs object or a pydantic model. A ``google.protobuf.Any`` is taken as what
        it holds. A structure travels as MessagePack, under the name of its class. TypeError for another object, and for
        a structure that cannot be encoded."""
        kind = type(detail)
        if hasattr(kind, "DESCRIPTOR"):
            if detail.DESCRIPTOR.full_name == "google.protobuf.Any":
                return cls(detail.type_url, detail.value)
            return cls(f"{_PROTOBUF}{detail.DESCRIPTOR.full_name}", detail.SerializeToString())
        if _is_structure(kind):
            return cls(f"{_STRUCTURE}{kind.__name__}", _encoded(detail))
        try:
            type_url, value = detail
        except (TypeError, ValueError):
            raise TypeError(f"a detail is a message, a structure or a pair, not {kind.__name__}") from None
        if not isinstance(type_url, str) or not isinstance(value, (bytes, bytearray, memoryview)):
            kinds = f"{type(type_url).__name__}, {type(value).__name__}"
            raise TypeError(f"a detail is a type URL and bytes, not ({kinds})")
        return cls(type_url, bytes(value))


def details_of_kind(kind: type[Any], details: Iterable[Detail]) -> list[Any]:
    """Returns the messages of those details that hold a ``kind``, decoded. Structures are found by the name of their
    class. Raises TypeError for a class that is neither of protobuf messages nor of structures; ValueError for a
    structure with other fields."""
    descriptor = getattr(kind, "DESCRIPTOR", None)
    if descriptor is not None:
        suffix: str = "/" + descriptor.full_name
        parse: Any = getattr(kind, "FromString")
        return [parse(each.value) for each in details if each.type_url.endswith(suffix)]
    if not _is_structure(kind):
        raise TypeError(f"details: {kind!r} is not a class of protobuf messages, nor of structures such as dataclasses")
    url = _STRUCTURE + kind.__name__
    return [_decoded(kind, each.value) for each in details if each.type_url == url]


def _is_structure(kind: Any) -> bool:
    return isinstance(kind, type) and any(hasattr(kind, mark) for mark in _MARKS)


def _simplified(value: Any) -> Any:
    if hasattr(value, "model_dump"):  # pydantic
        return dumped_model(value, "python")
    raise TypeError(f"cannot encode {type(value).__name__}")


def _encoded(structure: Any) -> bytes:
    try:
        return msgspec.msgpack.encode(structure, enc_hook=_simplified)
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise TypeError(f"a detail of type {type(structure).__name__} cannot be encoded: {error}") from error


def _built(kind: Any, value: Any) -> Any:
    if hasattr(kind, "model_validate"):
        return built_model(kind, value)
    raise TypeError(f"cannot decode {kind.__name__}")


def _decoded(kind: type[Any], data: bytes) -> Any:
    try:
        return msgspec.msgpack.decode(data, type=kind, dec_hook=_built)
    except (msgspec.MsgspecError, ValueError, RecursionError) as error:
        raise ValueError(f"details: one does not decode as {kind.__name__}: {error}") from error
