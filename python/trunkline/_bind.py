# SPDX-License-Identifier: MIT
"""Typed clients of service classes, without generated code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from ._method_definition import MethodDefinition
from ._service import ServiceMethod, methods_of, service_name

_EMPTY = inspect.Parameter.empty

#: Those of calls, which a parameter of the same name does not replace.
_OPTIONS = frozenset(("timeout", "metadata", "wait_for_ready", "idempotent", "compressor", "codec", "reply", "request"))


def bind(channel: Any, service: type[Any], name: str | None, options: Mapping[str, Any], *, may_wait: bool) -> Any:
    """An object with the service's methods, each of which calls. ``channel`` is of either kind; its functions say
    whether they are coroutines, and ``may_wait`` whether those of the class may be. ``options``: of every call."""
    attributes: dict[str, Any] = {"__slots__": (), "__doc__": service.__doc__}
    for method in methods_of(service, name):
        if method.signature.is_async and not may_wait:
            raise TypeError(
                f"bind {service.__name__}: {method.attribute} is a coroutine's, whose callers await it; bind the class to "
                "an aio.Channel, or a class of plain functions to this one"
            )
        signature = method.signature
        definition = method.definition
        if definition is None:
            kind: Any = signature.kind.name
            definition = MethodDefinition(method.name, kind, signature.request, signature.response)
        call = channel._client_methods[definition.kind](channel, definition, **options)
        attributes[method.attribute] = call if method.definition else staticmethod(_caller(method, call))
    return type(f"{service_name(service)}Client", (), attributes)()


def _caller(method: ServiceMethod, chosen: Callable[..., Any]) -> Callable[..., Any]:
    """What takes its request as the function of the class does."""
    signature = method.signature
    #: What the service's class calls its request.
    parameter = signature.request_name if signature.request_name not in _OPTIONS else "request"

    missing = signature.default_request
    if signature.kind.name == "bidirectional":
        missing = None

    def call(*request: Any, **options: Any) -> Any:
        if len(request) > signature.takes_request or (request and parameter in options):
            if not signature.takes_request:
                raise TypeError(f"{method.attribute}() takes no request")
            raise TypeError(f"{method.attribute}() takes one request, called {parameter!r}")
        message = request[0] if request else options.pop(parameter, missing)
        if message is _EMPTY:
            raise TypeError(f"{method.attribute}() needs its request, called {parameter!r}")
        return chosen(message, **options)

    call.__name__ = call.__qualname__ = method.attribute
    return call
