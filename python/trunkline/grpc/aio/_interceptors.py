# SPDX-License-Identifier: MIT
"""The interfaces of interceptors, for asyncio."""

from __future__ import annotations

import abc
from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

from .._call import ClientCallDetails as BaseClientCallDetails
from .._server_interface import HandlerCallDetails, RpcMethodHandler


class ServerInterceptor(metaclass=abc.ABCMeta):
    """Intercepts the calls of a server."""

    @abc.abstractmethod
    async def intercept_service(
        self,
        continuation: Callable[[HandlerCallDetails], Awaitable[RpcMethodHandler]],
        handler_call_details: HandlerCallDetails,
    ) -> RpcMethodHandler:
        """Returns how the call is served, such as ``await continuation(handler_call_details)`` returns."""


class _Fields(NamedTuple):
    method: Any
    timeout: float | None = None
    metadata: Any = None
    credentials: Any = None
    wait_for_ready: bool | None = None


class ClientCallDetails(_Fields, BaseClientCallDetails):
    """The properties of a call that a client interceptor sees. ``method`` is its name, as ``/package.Service/Method``,
    which grpcio has as bytes. ``timeout`` is in seconds."""


class ClientInterceptor(metaclass=abc.ABCMeta):
    """Intercepts the calls of a channel."""


class UnaryUnaryClientInterceptor(ClientInterceptor, metaclass=abc.ABCMeta):
    """Intercepts calls with one request and one response."""

    @abc.abstractmethod
    async def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: ClientCallDetails, request: Any
    ) -> Any:
        """Returns a call, such as ``await continuation(client_call_details, request)`` returns, or a response."""


class UnaryStreamClientInterceptor(ClientInterceptor, metaclass=abc.ABCMeta):
    """Intercepts calls with one request and a stream of responses."""

    @abc.abstractmethod
    async def intercept_unary_stream(
        self, continuation: Callable[..., Any], client_call_details: ClientCallDetails, request: Any
    ) -> Any:
        """Returns a call, such as ``await continuation(client_call_details, request)`` returns, or an async iterator of
        responses."""


class StreamUnaryClientInterceptor(ClientInterceptor, metaclass=abc.ABCMeta):
    """Intercepts calls with a stream of requests and one response."""

    @abc.abstractmethod
    async def intercept_stream_unary(
        self, continuation: Callable[..., Any], client_call_details: ClientCallDetails, request_iterator: Any
    ) -> Any:
        """Returns a call, such as ``await continuation(client_call_details, request_iterator)`` returns, or a
        response."""


class StreamStreamClientInterceptor(ClientInterceptor, metaclass=abc.ABCMeta):
    """Intercepts calls with a stream of requests and a stream of responses."""

    @abc.abstractmethod
    async def intercept_stream_stream(
        self, continuation: Callable[..., Any], client_call_details: ClientCallDetails, request_iterator: Any
    ) -> Any:
        """Returns a call, such as ``await continuation(client_call_details, request_iterator)`` returns, or an async
        iterator of responses."""
