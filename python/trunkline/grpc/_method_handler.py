# SPDX-License-Identifier: MIT
"""MethodHandler: how a method is served; ServiceHandler: the methods of a service; the functions that make them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from ._server_interface import HandlerCallDetails, RpcMethodHandler, ServiceRpcHandler


class _Handler(NamedTuple):
    request_streaming: bool
    response_streaming: bool
    request_deserializer: Callable[[bytes], Any] | None
    response_serializer: Callable[[Any], bytes] | None
    unary_unary: Callable[..., Any] | None = None
    unary_stream: Callable[..., Any] | None = None
    stream_unary: Callable[..., Any] | None = None
    stream_stream: Callable[..., Any] | None = None


class MethodHandler(_Handler, RpcMethodHandler):
    """The way in which a method is served: its kind, its function, and how its messages become bytes."""

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"RpcMethodHandler({fields})"  # the name of grpcio's class


class ServiceHandler(ServiceRpcHandler):
    """Serves the methods of a service from a mapping."""

    def __init__(self, service: str, method_handlers: Mapping[str, RpcMethodHandler]) -> None:
        self._name = service
        #: The handlers by their full names, as ``/package.Service/Method``. Packages read them by this private name of
        #: grpcio's.
        self._method_handlers = {f"/{service}/{name}": handler for name, handler in method_handlers.items()}

    def service_name(self) -> str:
        return self._name

    def service(self, handler_call_details: HandlerCallDetails) -> RpcMethodHandler | None:
        return self._method_handlers.get(handler_call_details.method)


class CallDetails(NamedTuple):
    """The properties of a call that a server interceptor sees."""

    method: str
    invocation_metadata: Any

    def __repr__(self) -> str:  # with the name of grpcio's class
        return f"_HandlerCallDetails(method={self.method!r}, invocation_metadata={self.invocation_metadata!r})"


def unary_unary_rpc_method_handler(
    behavior: Callable[..., Any],
    request_deserializer: Callable[[bytes], Any] | None = None,
    response_serializer: Callable[[Any], bytes] | None = None,
) -> RpcMethodHandler:
    """Serves a method with ``behavior(request, context)``, which returns the response."""
    return MethodHandler(False, False, request_deserializer, response_serializer, unary_unary=behavior)


def unary_stream_rpc_method_handler(
    behavior: Callable[..., Any],
    request_deserializer: Callable[[bytes], Any] | None = None,
    response_serializer: Callable[[Any], bytes] | None = None,
) -> RpcMethodHandler:
    """Serves a method with ``behavior(request, context)``, which returns an iterator of responses."""
    return MethodHandler(False, True, request_deserializer, response_serializer, unary_stream=behavior)


def stream_unary_rpc_method_handler(
    behavior: Callable[..., Any],
    request_deserializer: Callable[[bytes], Any] | None = None,
    response_serializer: Callable[[Any], bytes] | None = None,
) -> RpcMethodHandler:
    """Serves a method with ``behavior(request_iterator, context)``, which returns the response."""
    return MethodHandler(True, False, request_deserializer, response_serializer, stream_unary=behavior)


def stream_stream_rpc_method_handler(
    behavior: Callable[..., Any],
    request_deserializer: Callable[[bytes], Any] | None = None,
    response_serializer: Callable[[Any], bytes] | None = None,
) -> RpcMethodHandler:
    """Serves a method with ``behavior(request_iterator, context)``, which returns an iterator of responses."""
    return MethodHandler(True, True, request_deserializer, response_serializer, stream_stream=behavior)


def method_handlers_generic_handler(
    service: str, method_handlers: Mapping[str, RpcMethodHandler]
) -> ServiceRpcHandler:
    """Serves the methods of a service. ``method_handlers`` holds them by their short names."""
    return ServiceHandler(service, method_handlers)


def function_of(handler: RpcMethodHandler) -> Callable[..., Any] | None:
    """Returns the function that serves the method; None if the handler has none of its kind."""
    if handler.request_streaming:
        return handler.stream_stream if handler.response_streaming else handler.stream_unary
    return handler.unary_stream if handler.response_streaming else handler.unary_unary


def behavior_of(handler: RpcMethodHandler) -> Callable[..., Any]:
    """Returns the function that serves the method. Raises TypeError if the handler has none of its kind."""
    behavior = function_of(handler)
    if behavior is None:
        raise TypeError("the handler has no function of its kind")
    return behavior
