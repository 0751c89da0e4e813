# SPDX-License-Identifier: MIT
"""Types that pydantic validates, as msgspec does not know them: unions of models, and constraints of pydantic."""

from __future__ import annotations

import dataclasses
import typing
from collections.abc import Callable
from typing import Any

import msgspec

from .types import NoneType, bare, is_union, unaliased

#: The packages whose objects in ``Annotated`` are constraints for pydantic.
_CONSTRAINTS = frozenset(("annotated_types", "pydantic", "pydantic_core"))


def _package(value: Any) -> str:
    return str(getattr(value, "__module__", None)).partition(".")[0]


def is_model(kind: Any) -> bool:
    """Whether it is a class of pydantic models. Does not import pydantic."""
    return isinstance(kind, type) and hasattr(kind, "model_validate") and hasattr(kind, "model_fields")


def needs_pydantic(kind: Any) -> bool:
    """Whether only pydantic can validate messages of the type: it has a union with a model, or a constraint of
    pydantic, also within containers, dataclasses and ``TypedDict``."""
    return _needs_pydantic(kind, set())


def _needs_pydantic(kind: Any, seen: set[int]) -> bool:
    kind = unaliased(kind)
    arguments = typing.get_args(kind)
    if typing.get_origin(kind) is typing.Annotated:
        if any(_package(type(each)) in _CONSTRAINTS for each in arguments[1:]):
            return True
        return _needs_pydantic(arguments[0], seen)
    if typing.get_origin(kind) is typing.Literal:
        return False
    if is_union(kind):
        members = [bare(each) for each in arguments if each is not NoneType]
        if len(members) > 1 and any(is_model(each) for each in members):
            return True
    if any(_needs_pydantic(each, seen) for each in arguments):
        return True
    origin = typing.get_origin(kind) or kind
    if id(origin) in seen or not (dataclasses.is_dataclass(origin) or typing.is_typeddict(origin)):
        return False
    seen.add(id(origin))
    try:
        hints = typing.get_type_hints(origin, include_extras=True)
    except (NameError, TypeError):  # msgspec reports what cannot be resolved
        return False
    return any(_needs_pydantic(each, seen) for each in hints.values())


def pydantic_decoder(kind: Any, codec: str) -> Callable[[Any], Any]:
    """Returns the function from bytes to messages of the type. ``codec``: ``json`` or ``msgpack``. TypeError
    without pydantic, and for a type that it does not know."""
    try:
        import pydantic
    except ImportError as error:
        raise TypeError(f"the constraints of {kind} need pydantic: {error}") from error
    try:
        adapter: Any = pydantic.TypeAdapter(kind)
    except pydantic.errors.PydanticUserError as error:
        raise TypeError(str(error)) from error
    if codec == "json":
        return adapter.validate_json  # type: ignore[no-any-return]
    decode = msgspec.msgpack.Decoder().decode

    def validate(data: Any) -> Any:
        return adapter.validate_python(decode(data))

    return validate
