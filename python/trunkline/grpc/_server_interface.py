# SPDX-License-Identifier: MIT
"""The interfaces of a server: handlers of methods, interceptors, and the call as handlers see it."""

from __future__ import annotations

import abc
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn, Protocol, runtime_checkable

from ._call import RpcContext, Status
from ._status_code import StatusCode


class ServicerContext(RpcContext, metaclass=abc.ABCMeta):
    """The call that a handler serves."""

    @abc.abstractmethod
    def invocation_metadata(self) -> Any:
        """Returns the metadata that the client has sent: pairs with the attributes ``key`` and ``value``."""

    @abc.abstractmethod
    def peer(self) -> str:
        """Returns the client's address, such as ``ipv4:127.0.0.1:40312``."""

    @abc.abstractmethod
    def peer_identities(self) -> Sequence[bytes] | None:
        """Returns the values of ``peer_identity_key`` in ``auth_context``; None without a verified certificate."""

    @abc.abstractmethod
    def peer_identity_key(self) -> str | None:
        """Returns the name of the property that identifies the client; None without a verified certificate."""

    @abc.abstractmethod
    def auth_context(self) -> Mapping[str, Sequence[bytes]]:
        """Returns what is known of the client's certificate."""

    def set_compression(self, compression: Any) -> None:
        """Selects the compressor of the responses that follow."""
        raise NotImplementedError

    @abc.abstractmethod
    def send_initial_metadata(self, initial_metadata: Any) -> None:
        """Sets the metadata that is sent before the first message. Call it once, and before that message."""

    @abc.abstractmethod
    def set_trailing_metadata(self, trailing_metadata: Any) -> None:
        """Sets the metadata that is sent with the status."""

    def trailing_metadata(self) -> Any:
        """Returns the metadata that ``set_trailing_metadata`` has set."""
        raise NotImplementedError

    @abc.abstractmethod
    def abort(self, code: StatusCode, details: str) -> NoReturn:
        """Ends the call with an error: raises an exception, which the handler lets pass."""
        raise NotImplementedError

    @abc.abstractmethod
    def abort_with_status(self, status: Status) -> NoReturn:
        """Ends the call as ``abort`` does, with trailing metadata."""
        raise NotImplementedError

    @abc.abstractmethod
    def set_code(self, code: StatusCode) -> None:
        """Sets the code of the call's status; otherwise it is OK, or UNKNOWN if the handler raises."""

    @abc.abstractmethod
    def set_details(self, details: str) -> None:
        """Sets the text of the call's status."""

    def code(self) -> Any:
        """Returns the code that ``set_code`` has set."""
        raise NotImplementedError

    def details(self) -> Any:
        """Returns the text that ``set_details`` has set."""
        raise NotImplementedError

    def disable_next_message_compression(self) -> None:
        """Leaves the next response uncompressed."""
        raise NotImplementedError


class RpcMethodHandler(abc.ABC):
    """The way in which a method is served.

    ``request_streaming``, ``response_streaming``: its kind. ``request_deserializer``, ``response_serializer``: None
    for messages that are bytes. ``unary_unary``, ``unary_stream``, ``stream_unary``, ``stream_stream``: the function
    for its kind; the others are None.
    """

    request_streaming: bool
    response_streaming: bool
    request_deserializer: Callable[[bytes], Any] | None
    response_serializer: Callable[[Any], bytes] | None
    unary_unary: Callable[..., Any] | None
    unary_stream: Callable[..., Any] | None
    stream_unary: Callable[..., Any] | None
    stream_stream: Callable[..., Any] | None


@runtime_checkable
class HandlerCallDetails(Protocol):
    """The properties of a call that a server interceptor sees.

    ``method``: its name, as ``/package.Service/Method``. ``invocation_metadata``: what the client has sent with it.
    """

    method: str
    invocation_metadata: Any


class GenericRpcHandler(abc.ABC):
    """Serves some methods."""

    @abc.abstractmethod
    def service(self, handler_call_details: HandlerCallDetails) -> RpcMethodHandler | None:
        """Returns how the call is served; None for one that is not served here."""


class ServiceRpcHandler(GenericRpcHandler, metaclass=abc.ABCMeta):
    """Serves the methods of one service."""

    @abc.abstractmethod
    def service_name(self) -> str:
        """Returns the name of the service."""


class ServerInterceptor(abc.ABC):
    """Intercepts the calls of a server."""

    @abc.abstractmethod
    def intercept_service(
        self, continuation: Callable[[HandlerCallDetails], RpcMethodHandler | None], handler_call_details: Any
    ) -> Any:
        """Returns how the call is served, such as ``continuation(handler_call_details)`` returns."""


class Server(abc.ABC):
    """Serves methods on its ports."""

    @abc.abstractmethod
    def add_generic_rpc_handlers(self, generic_rpc_handlers: Any) -> None:
        """Adds handlers of methods. Call it before ``start``."""

    def add_registered_method_handlers(self, service_name: str, method_handlers: Mapping[str, Any]) -> None:
        """Adds handlers of the methods of a service. Call it before ``start``."""

    @abc.abstractmethod
    def add_insecure_port(self, address: str) -> int:
        """Listens without TLS. Returns the port. Call it before ``start``."""

    @abc.abstractmethod
    def add_secure_port(self, address: str, server_credentials: Any) -> int:
        """Listens with TLS. Returns the port. Call it before ``start``."""

    @abc.abstractmethod
    def start(self) -> Any:
        """Begins to serve. Call it once."""

    @abc.abstractmethod
    def stop(self, grace: float | None) -> Any:
        """Refuses further calls, and cancels those in progress after ``grace`` seconds; None for at once."""

    def wait_for_termination(self, timeout: float | None = None) -> Any:
        """Waits until the server has stopped. Returns True after ``timeout`` seconds."""
        raise NotImplementedError
