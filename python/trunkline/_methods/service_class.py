# SPDX-License-Identifier: MIT
"""The methods of a service class: type-hinted functions, or functions with definitions as in generated code."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from .definition import MethodDefinition
from .signature import Signature, signature_of, stated_signature


class ServiceMethod(NamedTuple):
    #: The full name on the wire.
    name: str
    #: The name of the function in the class.
    attribute: str
    signature: Signature
    #: The definition of the method; None for a type-hinted function.
    definition: MethodDefinition[Any, Any] | None = None


def service_name(service: type[Any]) -> str:
    """Returns the name under which the class is served unless another one is given."""
    return getattr(service, "__trunkline_service__", None) or service.__name__


def methods_of(service: type[Any], name: str | None = None, instance: Any = None) -> list[ServiceMethod]:
    """The methods that the class's ``__trunkline_methods__`` defines or lists, or else all its public functions,
    inherited ones too, as ``name/function``.

    ``instance``: the object whose functions serve the defined methods; they may be attributes of the instance. Raises
    TypeError for a class that is not a service.
    """
    prefix = name or service_name(service)
    chosen: Mapping[str, Any] | Iterable[str] | None = getattr(service, "__trunkline_methods__", None)
    if isinstance(chosen, str):
        raise TypeError(f"service {prefix}: __trunkline_methods__ is a str, not a tuple of names")
    if isinstance(chosen, Mapping):
        holder = service if instance is None else instance
        return _defined_methods(holder, prefix, chosen, is_renamed=name is not None)
    names = [each for each in dir(service) if not each.startswith("_")] if chosen is None else list(chosen)
    found = []
    for attribute in names:
        value = getattr(service, attribute, None)
        if inspect.isfunction(value) or inspect.ismethod(value):
            found.append(
                ServiceMethod(f"{prefix}/{attribute}", attribute, _signature(service, prefix, attribute, value))
            )
        elif chosen is not None:
            raise TypeError(
                f"service {prefix}: __trunkline_methods__ lists {attribute!r}, which is not a method of the class"
            )
    if not found:
        raise TypeError(f"service {prefix}: the class has no public methods")
    return found


def _defined_methods(
    holder: Any, prefix: str, definitions: Mapping[str, Any], *, is_renamed: bool
) -> list[ServiceMethod]:
    """Finds the methods. ``holder`` is the class or object with the functions; their parameters are inspected once they
    are bound. With ``is_renamed`` the service is served under another name than that of its definitions."""
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
            raise TypeError(f"service {prefix}: the class has no function {attribute}() for {definition.name}")
        signature = stated_signature(function, definition)
        found.append(ServiceMethod(definition.name, attribute, signature, definition))
    return found


def _signature(service: type[Any], prefix: str, attribute: str, function: Any) -> Signature:
    is_bound = isinstance(inspect.getattr_static(service, attribute), (staticmethod, classmethod))
    try:
        return signature_of(function, skip_self=not is_bound)
    except TypeError as error:
        raise TypeError(
            f"service {prefix}: {error}. To exclude a function, begin its name with '_', or list the methods of the "
            f"class in __trunkline_methods__ = (...)"
        ) from error
