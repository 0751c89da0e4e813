# SPDX-License-Identifier: MIT
"""A class of type-hinted methods as a service."""

from __future__ import annotations

import inspect
from typing import Any, NamedTuple

from ._signature import Signature, signature_of


class ServiceMethod(NamedTuple):
    name: str
    attribute: str
    signature: Signature


def service_name(service: type[Any]) -> str:
    return getattr(service, "__trunkline_service__", None) or service.__name__


def methods_of(service: type[Any], name: str | None = None) -> list[ServiceMethod]:
    """The public functions of the class and its bases, as ``name/function``."""
    prefix = name or service_name(service)
    found = []
    for attribute, value in inspect.getmembers(service):
        if attribute.startswith("_"):
            continue
        static = isinstance(inspect.getattr_static(service, attribute), (staticmethod, classmethod))
        if inspect.isfunction(value) or inspect.ismethod(value):
            found.append(
                ServiceMethod(f"{prefix}/{attribute}", attribute, signature_of(value, skip_self=not static))
            )
    if not found:
        raise TypeError(f"service {prefix}: the class has no public methods")
    return found
