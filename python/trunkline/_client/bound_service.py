# SPDX-License-Identifier: MIT
"""bind: a typed client of a service class, without generated code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from .._methods.definition import MethodDefinition
from .._methods.service_class import ServiceMethod, methods_of, service_name

_EMPTY = inspect.Parameter.empty

#: Keyword arguments of calls. A request parameter with one of these names is called ``request`` instead.
_OPTIONS = frozenset(
    (
        "timeout",
        "metadata",
        "wait_for_ready",
        "idempotent",
        "compressor",
        "codec",
        "routing_key",
        "response_info",
        "request",
    )
)


def bind(channel: Any, service: type[Any], name: str | None, options: Mapping[str, Any], *, allows_async: bool) -> Any:
    """Returns an object with the methods of the service, each of which makes a call. ``channel`` is of either kind, and
    ``options`` apply to every call. With ``allows_async`` the functions of the class may be coroutines."""
    attributes: dict[str, Any] = {"__slots__": (), "__doc__": service.__doc__}
    for method in methods_of(service, name):
        if method.signature.is_async and not allows_async:
            raise TypeError(
                f"bind {service.__name__}: {method.attribute} is a coroutine function; bind the class to "
                "an aio.Channel, or a class of plain functions to this one"
            )
        signature = method.signature
        definition = method.definition
        if definition is None:
            kind: Any = signature.kind.name
            definition = MethodDefinition(method.name, kind, signature.request, signature.response)
        call = channel._client_methods[definition.kind](channel, definition, **options)
        attributes[method.attribute] = call if method.definition else staticmethod(_call_function(method, call))
    return type(f"{service_name(service)}Client", (), attributes)()


def check_interface(client: Any, service: type[Any], interface: Any) -> None:
    """Raises TypeError unless ``client``, which is bound to ``service``, has all public functions of ``interface``."""
    missing = [
        name
        for name in dir(interface)
        if not name.startswith("_") and callable(getattr(interface, name)) and not hasattr(client, name)
    ]
    if missing:
        raise TypeError(f"bind {service.__name__}: it has no {', '.join(missing)} of {interface.__name__}")


def _call_function(method: ServiceMethod, send: Callable[..., Any]) -> Callable[..., Any]:
    """Returns a function that takes its request under the name that the function of the class gives it."""
    signature = method.signature
    parameter = signature.request_name if signature.request_name not in _OPTIONS else "request"

    missing = signature.default_request
    if signature.kind.name == "bidirectional":
        missing = None

    def call(*request: Any, **options: Any) -> Any:
        if len(request) > signature.takes_request or (request and parameter in options):
            if not signature.takes_request:
                raise TypeError(f"{method.attribute}() takes no request")
            raise TypeError(f"{method.attribute}() takes one request, named {parameter!r}")
        message = request[0] if request else options.pop(parameter, missing)
        if message is _EMPTY:
            raise TypeError(f"{method.attribute}() needs its request, named {parameter!r}")
        return send(message, **options)

    call.__name__ = call.__qualname__ = method.attribute
    return call
