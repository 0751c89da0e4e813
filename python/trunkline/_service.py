# SPDX-License-Identifier: MIT
"""A class of type-hinted methods as a service."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, NamedTuple

from ._signature import Signature, signature_of


class ServiceMethod(NamedTuple):
    name: str
    attribute: str
    signature: Signature


def service_name(service: type[Any]) -> str:
    return getattr(service, "__trunkline_service__", None) or service.__name__


def methods_of(service: type[Any], name: str | None = None) -> list[ServiceMethod]:
    """The functions named by the class's ``__trunkline_methods__``, or else all public ones of the class and its bases, as
    ``name/function``."""
    prefix = name or service_name(service)
    chosen: Iterable[str] | None = getattr(service, "__trunkline_methods__", None)
    if isinstance(chosen, str):
        raise TypeError(f"service {prefix}: __trunkline_methods__ is a text, not several names")
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


def _signature(service: type[Any], prefix: str, attribute: str, function: Any) -> Signature:
    is_bound = isinstance(inspect.getattr_static(service, attribute), (staticmethod, classmethod))
    try:
        return signature_of(function, skip_self=not is_bound)
    except TypeError as error:
        raise TypeError(
            f"service {prefix}: {error}. What is not to be served begins with '_', or is left out of "
            f"__trunkline_methods__ = (...), which names the methods of a class"
        ) from error
