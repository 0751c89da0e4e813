# SPDX-License-Identifier: MIT
"""Types that pydantic validates: models and unions of them, its dataclasses, and what has constraints of pydantic."""

from __future__ import annotations

import collections.abc
import dataclasses
import datetime
import json
import typing
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache, partial
from typing import Any

import msgspec

from .types import NoneType, bare, is_union, unaliased

#: The packages whose objects in ``Annotated`` are constraints for pydantic.
_CONSTRAINTS = frozenset(("annotated_types", "pydantic", "pydantic_core"))
#: Types that may contain models, and have the same forms in pydantic and in msgspec.
_AROUND_MODELS = frozenset(
    (str, NoneType, list, dict, tuple, Ellipsis, collections.abc.Sequence, collections.abc.Mapping)
)


def _package(value: Any) -> str:
    return str(getattr(value, "__module__", None)).partition(".")[0]


def is_model(kind: Any) -> bool:
    """Returns whether it is a class of pydantic models. Does not import pydantic."""
    return isinstance(kind, type) and hasattr(kind, "model_validate") and hasattr(kind, "model_fields")


def is_pydantic_dataclass(kind: Any) -> bool:
    """Returns whether it is a class that ``pydantic.dataclasses.dataclass`` has made. Does not import pydantic."""
    return dataclasses.is_dataclass(kind) and "__pydantic_validator__" in vars(kind)


def has_pydantic_dataclass(kind: Any) -> bool:
    """Returns whether the type is one, or has one in it."""
    return any(is_pydantic_dataclass(typing.get_origin(each) or each) for each in parts_of(kind))


def _is_of_pydantic(kind: Any) -> bool:
    """Returns whether this part is a class that pydantic can validate: one of its dataclasses, or of its own types, as
    of URLs."""
    origin = typing.get_origin(kind) or kind
    if is_pydantic_dataclass(origin):
        return True
    return isinstance(origin, type) and hasattr(origin, "__get_pydantic_core_schema__") and not is_model(origin)


def parts_of(kind: Any) -> Iterator[Any]:
    """Yields the type and the types in it: arguments, members of unions, fields of dataclasses and ``TypedDict``."""
    return _parts(kind, set())


def _parts(kind: Any, seen: set[int]) -> Iterator[Any]:
    kind = unaliased(kind)
    yield kind
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Annotated:
        yield from _parts(arguments[0], seen)
        return
    if typing.get_origin(kind) is typing.Literal:
        return
    for each in arguments:
        yield from _parts(each, seen)
    origin = typing.get_origin(kind) or kind
    if id(origin) in seen or not (dataclasses.is_dataclass(origin) or typing.is_typeddict(origin)):
        return
    seen.add(id(origin))
    try:
        hints = typing.get_type_hints(origin, include_extras=True)
    except (NameError, TypeError):  # msgspec reports what cannot be resolved
        return
    for each in (*hints.values(), *vars(origin).get("__orig_bases__", ())):
        yield from _parts(each, seen)


def _is_for_pydantic(kind: Any) -> bool:
    """Returns whether only pydantic can validate this part: a union with a model, or a constraint of pydantic."""
    if typing.get_origin(kind) is typing.Annotated:
        return any(_package(type(each)) in _CONSTRAINTS for each in typing.get_args(kind)[1:])
    if not is_union(kind):
        return False
    members = [bare(each) for each in typing.get_args(bare(kind)) if each is not NoneType]
    return len(members) > 1 and any(is_model(each) for each in members)


def _is_of_models(parts: list[Any]) -> bool:
    """Returns whether the parts are a model or containers of models, which pydantic and msgspec decode alike."""
    if not any(is_model(each) for each in parts):
        return False
    others = [each for each in parts if not is_model(each) and not is_union(each)]
    return all((typing.get_origin(each) or each) in _AROUND_MODELS for each in others)


def pydantic_decoder(kind: Any, codec: str) -> Callable[[Any], Any] | None:
    """Returns the function from bytes to messages of the type if pydantic validates them, None if msgspec does.
    ``codec``: ``json`` or ``msgpack``. TypeError for a type that only pydantic can validate, without pydantic or if
    pydantic does not know the type either."""
    parts = list(parts_of(kind))
    must = any(_is_for_pydantic(each) for each in parts)
    should = any(_is_of_pydantic(each) for each in parts)
    if not must and not should and not (codec == "json" and _is_of_models(parts)):
        return None
    try:
        adapter = adapter_of(kind)
    except TypeError:
        if must:
            raise
        return None
    return partial(_validate_json, adapter) if codec == "json" else partial(_validate_msgpack, adapter)


def is_validated_by_pydantic(kind: Any) -> bool:
    """Returns whether messages of the type in JSON are validated by pydantic."""
    return pydantic_decoder(kind, "json") is not None


def adapter_of(kind: Any) -> Any:
    """Returns the ``pydantic.TypeAdapter`` of a type. TypeError without pydantic, and for a type unknown to it."""
    try:
        import pydantic
    except ImportError as error:
        raise TypeError(f"the constraints of {kind} need pydantic: {error}") from error
    try:
        return pydantic.TypeAdapter(kind)
    except pydantic.errors.PydanticUserError as error:
        raise TypeError(str(error)) from error


def _validate_json(adapter: Any, data: bytes) -> Any:
    if data.find(b"NaN") >= 0 or data.find(b"Infinity") >= 0:
        msgspec.json.decode(data)  # refuses these numbers, which pydantic takes
    return adapter.validate_json(data)


_unpack = msgspec.msgpack.Decoder().decode


def _validate_msgpack(adapter: Any, data: bytes) -> Any:
    value = _unpack(data)
    if _is_strict(adapter):
        return _validate_strictly(adapter.validate_python, adapter.validate_json, value)
    return adapter.validate_python(value)


def built_model(kind: Any, value: Any) -> Any:
    """Returns the model of a class from a value that msgspec has decoded. Raises pydantic's ValidationError."""
    if _is_strict(kind):
        return _validate_strictly(kind.model_validate, kind.model_validate_json, value)
    return kind.model_validate(value)


def _validate_strictly(validate: Any, validate_json: Any, value: Any) -> Any:
    """Validates a value. Strict types take text for dates, decimals, enumerations and the like from JSON only. Bytes
    have no certain form in JSON: values with bytes are validated as if the types were not strict."""
    try:
        text = json.dumps(value, default=datetime.datetime.isoformat)
    except TypeError:
        return validate(value, strict=False)
    return validate_json(text)


@lru_cache(maxsize=4096)
def _is_strict(owner: Any) -> bool:
    """Returns whether a class of models, or an adapter, is strict, or a part of it."""
    return any(each.get("strict") is True for each in maps_in(schema_of(owner)))


def dumped_model(model: Any, mode: str) -> Any:
    """Returns the fields of a model, as ``model_dump`` of pydantic returns them in a mode."""
    kind: Any = type(model)
    return model.model_dump(mode=mode, by_alias=True, round_trip=not sends_computed_fields(kind))


@lru_cache(maxsize=4096)
def sends_computed_fields(owner: Any) -> bool:
    """Returns whether computed fields of a class of models, or of an adapter's type, are sent. They are if its models
    ignore fields that they do not have. Others, and those with ``pydantic.Json``, would come back as something else."""
    schemas = list(maps_in(schema_of(owner)))
    if not any(each.get("computed_fields") for each in schemas):
        return False
    return not any(
        each.get("extra_fields_behavior") in ("allow", "forbid") or each.get("type") == "json" for each in schemas
    )


def schema_of(owner: Any) -> Any:
    return getattr(owner, "core_schema", None) or getattr(owner, "__pydantic_core_schema__", None)


def maps_in(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yields the schemas in a core schema of pydantic, with their configurations."""
    if isinstance(schema, Mapping):
        yield schema
        for each in schema.values():
            yield from maps_in(each)
    elif isinstance(schema, (list, tuple)):
        for each in schema:
            yield from maps_in(each)
