# SPDX-License-Identifier: MIT
"""Typed clients of service classes, without generated code."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

from . import _core
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
        own = dict(options)
        if method.signature.kind != _core.MethodKind.unary:
            own.pop("idempotent", None)
        attributes[method.attribute] = staticmethod(_caller(channel, method, own))
    return type(f"{service_name(service)}Client", (), attributes)()


def _caller(channel: Any, method: ServiceMethod, usual: dict[str, Any]) -> Callable[..., Any]:
    signature = method.signature
    path = method.name
    request_type = signature.request
    response_type = type(None) if signature.response is None else signature.response

    def unary(request: Any, options: dict[str, Any]) -> Any:
        return channel.call(path, request, response_type, **options)

    def server_stream(request: Any, options: dict[str, Any]) -> Any:
        return channel.server_stream(path, request, response_type, **options)

    def client_stream(requests: Any, options: dict[str, Any]) -> Any:
        return channel.client_stream(path, requests, response_type, request=request_type, **options)

    def bidirectional(requests: Any, options: dict[str, Any]) -> Any:
        stream = channel.stream(path, request_type, response_type, **options)
        return stream if requests is None else stream.exchange(requests)

    by_kind: dict[_core.MethodKind, Callable[[Any, dict[str, Any]], Any]] = {
        _core.MethodKind.unary: unary,
        _core.MethodKind.server_stream: server_stream,
        _core.MethodKind.client_stream: client_stream,
        _core.MethodKind.bidirectional: bidirectional,
    }
    chosen = by_kind[signature.kind]
    #: What the service's class calls its request.
    parameter = signature.request_name if signature.request_name not in _OPTIONS else "request"

    missing = signature.default_request
    if signature.kind == _core.MethodKind.bidirectional:
        missing = None

    def call(*request: Any, **options: Any) -> Any:
        if len(request) > signature.takes_request or (request and parameter in options):
            if not signature.takes_request:
                raise TypeError(f"{method.attribute}() takes no request")
            raise TypeError(f"{method.attribute}() takes one request, called {parameter!r}")
        message = request[0] if request else options.pop(parameter, missing)
        if message is _EMPTY:
            raise TypeError(f"{method.attribute}() needs its request, called {parameter!r}")
        return chosen(message, {**usual, **options} if usual else options)

    call.__name__ = call.__qualname__ = method.attribute
    return call
