# SPDX-License-Identifier: MIT
"""A class as a service: of type-hinted methods, or with definitions of its methods, as generated code has them."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from ._method_definition import MethodDefinition
from ._signature import Signature, signature_of, stated_signature


class ServiceMethod(NamedTuple):
    name: str
    attribute: str
    signature: Signature
    #: None if its signature says it all.
    definition: MethodDefinition[Any, Any] | None = None


def service_name(service: type[Any]) -> str:
    return getattr(service, "__trunkline_service__", None) or service.__name__


def methods_of(service: type[Any], name: str | None = None, instance: Any = None) -> list[ServiceMethod]:
    """What the class's ``__trunkline_methods__`` defines or names, or else all public functions of the class and its
    bases, as ``name/function``. ``instance``: whose functions serve what is defined; they may be its own."""
    prefix = name or service_name(service)
    chosen: Mapping[str, Any] | Iterable[str] | None = getattr(service, "__trunkline_methods__", None)
    if isinstance(chosen, str):
        raise TypeError(f"service {prefix}: __trunkline_methods__ is a text, not several names")
    if isinstance(chosen, Mapping):
        holder = service if instance is None else instance
        return _defined_methods(holder, prefix, chosen, is_renamed=name is not None)
    names = [each for each in dir(service) if not each.startswith("_")] if chosen is None else list(chosen)
    found = []
    for attribute in names:
        value = getattr(service, attribute, None)
        if inspect.isfunction(value) or inspect.ismethod(value):
            found.append(ServiceMethod(f"{prefix}/{attribute}", attribute, _signature(service, prefix, attribute, value)))
        elif chosen is not None:
            raise TypeError(f"service {prefix}: __trunkline_methods__ names {attribute!r}, which is no method of the class")
    if not found:
        raise TypeError(f"service {prefix}: the class has no public methods")
    return found


def _defined_methods(
    holder: Any, prefix: str, definitions: Mapping[str, Any], *, is_renamed: bool
) -> list[ServiceMethod]:
    """``holder``: of the functions, whose parameters are looked at once they are bound. ``is_renamed``: the service has
    been given another name than its definitions have."""
    found = []
    for attribute, definition in definitions.items():
        if not isinstance(definition, MethodDefinition):
            raise TypeError(
                f"service {prefix}: __trunkline_methods__[{attribute!r}] is a {type(definition).__name__}, "
                "not a MethodDefinition"
            )
        if is_renamed:
            definition = dataclasses.replace(definition, name=f"{prefix}/{definition.name.rpartition('/')[2]}")
        function = getattr(holder, attribute, None)
        if not callable(function):
            raise TypeError(f"service {prefix}: it has no function {attribute}() for {definition.name}")
        signature = stated_signature(function, definition)
        found.append(ServiceMethod(definition.name, attribute, signature, definition))
    return found


def _signature(service: type[Any], prefix: str, attribute: str, function: Any) -> Signature:
    is_bound = isinstance(inspect.getattr_static(service, attribute), (staticmethod, classmethod))
    try:
        return signature_of(function, skip_self=not is_bound)
    except TypeError as error:
        raise TypeError(
            f"service {prefix}: {error}. What is not to be served begins with '_', or is left out of "
            f"__trunkline_methods__ = (...), which names the methods of a class"
        ) from error
