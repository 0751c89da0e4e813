# SPDX-License-Identifier: MIT
"""Fields of dataclasses that a message omits. msgspec leaves them to the attributes of the class, where it does not
look for them when it encodes the object: without this, a message that is sent on lacks the fields that it came
without."""

from __future__ import annotations

import collections.abc
import dataclasses
import inspect
import typing
from collections.abc import Callable, Iterable
from typing import Any

import msgspec

from .types import bare, is_union
from .validation import is_pydantic_dataclass

#: Gives the objects in a decoded message their own values of all fields.
Complete = Callable[[Any], None]


def completer(kind: Any) -> Complete | None:
    """Returns None if no message of the type can lack a field: it has no dataclass with a default."""
    compiler = _Compiler()
    complete = compiler.compile(kind)
    return complete if compiler.has_defaults else None


class _Compiler:
    """Compiles one type. Types that contain themselves are looked up in ``_found`` while messages are completed."""

    def __init__(self) -> None:
        self._found: dict[tuple[type[Any], str], Complete | None] = {}
        self.has_defaults = False

    def compile(self, kind: Any) -> Complete | None:
        kind = bare(kind)
        if typing.get_origin(kind) is typing.Final:
            kind = bare(typing.get_args(kind)[0])
        if is_union(kind):
            return self._of_union(typing.get_args(kind))
        origin = typing.get_origin(kind) or kind
        if not isinstance(origin, type):
            return None
        if dataclasses.is_dataclass(origin) or issubclass(origin, msgspec.Struct) or typing.is_typeddict(origin):
            return self._of_fields(kind, origin)
        return self._of_container(origin, typing.get_args(kind))

    def _of_union(self, members: Iterable[Any]) -> Complete | None:
        # msgspec tells dictionaries, sequences and the classes of objects apart, but no more.
        known: list[tuple[type[Any], Complete]] = []
        for member in members:
            complete = self.compile(member)
            if complete is not None:
                origin = typing.get_origin(bare(member)) or bare(member)
                known.append((dict if typing.is_typeddict(origin) else origin, complete))
        if not known:
            return None

        def complete_member(value: Any) -> None:
            for origin, complete in known:
                if isinstance(value, origin):
                    return complete(value)

        return complete_member

    def _of_container(self, origin: type[Any], arguments: tuple[Any, ...]) -> Complete | None:
        if not arguments or not issubclass(origin, collections.abc.Iterable):
            return None
        if issubclass(origin, collections.abc.Mapping):
            values = self.compile(arguments[-1])
            return None if values is None else lambda value: _complete_each(values, value.values())
        if issubclass(origin, tuple) and arguments[-1] is not Ellipsis:
            parts = [(index, self.compile(each)) for index, each in enumerate(arguments)]
            return _of_items([(index, each) for index, each in parts if each is not None])
        items = self.compile(arguments[0])
        return None if items is None else lambda value: _complete_each(items, value)

    def _of_fields(self, kind: Any, origin: type[Any]) -> Complete | None:
        key = (origin, str(typing.get_args(kind)))
        if key in self._found:
            return lambda value: _call(self._found[key], value)
        self._found[key] = None
        try:
            hints = _hints_of(kind)
        except (NameError, TypeError):  # msgspec reports what cannot be resolved
            return None
        parts = [(name, self.compile(hint)) for name, hint in hints.items()]
        inner = [(name, each) for name, each in parts if each is not None]
        if is_pydantic_dataclass(origin):
            self.has_defaults = True
            self._found[key] = _revalidate
        elif typing.is_typeddict(origin):
            self._found[key] = _of_members(inner)
        else:
            defaults = _class_defaults(origin)
            self.has_defaults = self.has_defaults or bool(defaults)
            fields = _decoded_fields(origin)
            self._found[key] = _of_object(defaults, [(name, each) for name, each in inner if name in fields])
        return self._found[key]


def _hints_of(kind: Any) -> dict[str, Any]:
    """Returns the type hints of a class, with the arguments of the generic classes that it is or inherits from."""
    origin = typing.get_origin(kind) or kind
    if not isinstance(origin, type) or origin in (object, dict, typing.Generic):
        return {}
    given = dict(zip(getattr(origin, "__parameters__", ()), typing.get_args(kind), strict=False))
    inherited: dict[str, Any] = {}
    for base in reversed(vars(origin).get("__orig_bases__", origin.__bases__)):
        inherited |= _hints_of(base)
    hints = typing.get_type_hints(origin)
    # A TypedDict has the fields that it inherits among its own annotations.
    own = {} if typing.is_typeddict(origin) else inspect.get_annotations(origin)
    found = {name: hint if name in own else inherited.get(name, hint) for name, hint in hints.items()}
    return {name: _substituted(hint, given) for name, hint in found.items()}


def _revalidate(value: Any) -> None:
    """Validates a dataclass of pydantic that msgspec has made, as a field of a struct. Fields that the message omits
    get their defaults."""
    from pydantic.fields import FieldInfo

    own = {}
    for name, field in type(value).__pydantic_fields__.items():
        found = getattr(value, name, field)
        if not isinstance(found, FieldInfo):  # the default that msgspec takes
            own[field.validation_alias if isinstance(field.validation_alias, str) else name] = found
    type(value).__pydantic_validator__.validate_python(own, self_instance=value)


def _substituted(hint: Any, given: dict[Any, Any]) -> Any:
    """Returns ``hint`` with the arguments of the generic class that it is in."""
    if isinstance(hint, typing.TypeVar):
        return given.get(hint, hint)
    parameters = getattr(hint, "__parameters__", ())
    if not given or not parameters or isinstance(hint, type):
        return hint
    return hint[tuple(given.get(each, each) for each in parameters)]


def _call(complete: Complete | None, value: Any) -> None:
    if complete is not None:
        complete(value)


def _complete_each(complete: Complete, values: Iterable[Any]) -> None:
    for value in values:
        complete(value)


def _decoded_fields(origin: type[Any]) -> frozenset[str]:
    """Other annotations of a class are of no field: of what its objects share, or of a plain class."""
    if dataclasses.is_dataclass(origin):
        return frozenset(each.name for each in dataclasses.fields(origin))
    named = getattr(origin, "__struct_fields__", None) or (each.name for each in getattr(origin, "__attrs_attrs__", ()))
    return frozenset(named)


def _class_defaults(origin: type[Any]) -> list[tuple[str, Any]]:
    """Returns the defaults that msgspec leaves to the class. Objects with slots have their own values."""
    if not dataclasses.is_dataclass(origin) or "__dict__" not in dir(origin):
        return []
    return [
        (each.name, each.default)
        for each in dataclasses.fields(origin)
        if each.default is not dataclasses.MISSING
    ]


def _of_object(defaults: list[tuple[str, Any]], inner: list[tuple[str, Complete]]) -> Complete | None:
    if not defaults and not inner:
        return None

    def complete(value: Any) -> None:
        for name, each in inner:
            each(getattr(value, name))
        if defaults:
            own = value.__dict__
            for name, default in defaults:
                if name not in own:
                    own[name] = default

    return complete


def _of_members(inner: list[tuple[str, Complete]]) -> Complete | None:
    if not inner:
        return None

    def complete(value: Any) -> None:
        for name, each in inner:
            if name in value:
                each(value[name])

    return complete


def _of_items(inner: list[tuple[int, Complete]]) -> Complete | None:
    if not inner:
        return None

    def complete(value: Any) -> None:
        for index, each in inner:
            each(value[index])

    return complete
