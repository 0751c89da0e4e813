# SPDX-License-Identifier: MIT
"""Typed clients of service classes, without generated code."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from . import _core
from ._service import ServiceMethod, methods_of, service_name


def bind(channel: Any, service: type[Any], name: str | None) -> Any:
    """An object with the service's methods, each of which calls. ``channel`` is of either kind; its functions say
    whether they are coroutines."""
    attributes: dict[str, Any] = {"__slots__": (), "__doc__": service.__doc__}
    for method in methods_of(service, name):
        attributes[method.attribute] = staticmethod(_caller(channel, method))
    return type(f"{service_name(service)}Client", (), attributes)()


def _caller(channel: Any, method: ServiceMethod) -> Callable[..., Any]:
    signature = method.signature
    path = method.name
    request_type = signature.request
    response_type = type(None) if signature.response is None else signature.response

    def unary(request: Any = None, **options: Any) -> Any:
        return channel.call(path, request, response_type, **options)

    def server_stream(request: Any = None, **options: Any) -> Any:
        return channel.server_stream(path, request, response_type, **options)

    def client_stream(requests: Any, **options: Any) -> Any:
        return channel.client_stream(path, requests, response_type, request=request_type, **options)

    def bidirectional(requests: Any = None, **options: Any) -> Any:
        stream = channel.stream(path, request_type, response_type, **options)
        return stream if requests is None else stream.exchange(requests)

    by_kind: dict[_core.MethodKind, Callable[..., Any]] = {
        _core.MethodKind.unary: unary,
        _core.MethodKind.server_stream: server_stream,
        _core.MethodKind.client_stream: client_stream,
        _core.MethodKind.bidirectional: bidirectional,
    }
    chosen = by_kind[signature.kind]
    chosen.__name__ = chosen.__qualname__ = method.attribute
    return chosen
