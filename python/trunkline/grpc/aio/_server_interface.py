# SPDX-License-Identifier: MIT
"""The interfaces of a server and of the call that a handler serves, for asyncio."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Generic, NoReturn, TypeVar

from .._call import Status
from .._status_code import StatusCode

Request = TypeVar("Request")
Response = TypeVar("Response")


class Server(abc.ABC):
    """Serves methods on its ports, on the event loop that starts it."""

    @abc.abstractmethod
    def add_generic_rpc_handlers(self, generic_rpc_handlers: Any) -> None:
        """Adds handlers of methods. They serve the calls that arrive afterwards, also if the server has started."""

    def add_registered_method_handlers(self, service_name: str, method_handlers: Mapping[str, Any]) -> None:
        """Adds handlers of the methods of a service. After ``start`` it has no effect but a warning."""

    @abc.abstractmethod
    def add_insecure_port(self, address: str) -> int:
        """Listens without TLS. Returns the port. Call it before ``start``."""

    @abc.abstractmethod
    def add_secure_port(self, address: str, server_credentials: Any) -> int:
        """Listens with TLS. Returns the port. Call it before ``start``."""

    @abc.abstractmethod
    async def start(self) -> None:
        """Begins to serve. Call it once."""

    @abc.abstractmethod
    async def stop(self, grace: float | None) -> None:
        """Refuses further calls, and cancels those in progress after ``grace`` seconds; None for at once. Returns when
        the server has stopped."""

    @abc.abstractmethod
    async def wait_for_termination(self, timeout: float | None = None) -> bool:
        """Waits. Returns True if the server still runs after ``timeout`` seconds, False once it has stopped."""


class ServicerContext(Generic[Request, Response], abc.ABC):
    """The call that a handler serves."""

    @abc.abstractmethod
    async def read(self) -> Any:
        """Returns the next request of a stream; EOF after the last one."""

    @abc.abstractmethod
    async def write(self, message: Response) -> None:
        """Sends a response of a stream."""

    @abc.abstractmethod
    async def send_initial_metadata(self, initial_metadata: Any) -> None:
        """Sets the metadata that is sent before the first message. Call it once, and before that message."""

    @abc.abstractmethod
    async def abort(self, code: StatusCode, details: str = "", trailing_metadata: Any = ()) -> NoReturn:
        """Ends the call with an error: raises AbortError, which the handler lets pass."""
        raise NotImplementedError

    @abc.abstractmethod
    async def abort_with_status(self, status: Status) -> NoReturn:
        """Ends the call as ``abort`` does."""
        raise NotImplementedError

    @abc.abstractmethod
    def set_trailing_metadata(self, trailing_metadata: Any) -> None:
        """Sets the metadata that is sent with the status."""

    @abc.abstractmethod
    def invocation_metadata(self) -> Any:
        """Returns the metadata that the client has sent: pairs with the attributes ``key`` and ``value``."""

    @abc.abstractmethod
    def set_code(self, code: StatusCode) -> None:
        """Sets the code of the call's status."""

    @abc.abstractmethod
    def set_details(self, details: str) -> None:
        """Sets the text of the call's status."""

    @abc.abstractmethod
    def set_compression(self, compression: Any) -> None:
        """Selects the compressor of the responses that follow."""

    @abc.abstractmethod
    def disable_next_message_compression(self) -> None:
        """Leaves the next response uncompressed."""

    @abc.abstractmethod
    def peer(self) -> str:
        """Returns the client's address, such as ``ipv4:127.0.0.1:40312``."""

    @abc.abstractmethod
    def peer_identities(self) -> Iterable[bytes] | None:
        """Returns the values of ``peer_identity_key`` in ``auth_context``; None without a verified certificate."""

    @abc.abstractmethod
    def peer_identity_key(self) -> str | None:
        """Returns the name of the property that identifies the client; None without a verified certificate."""

    @abc.abstractmethod
    def auth_context(self) -> Mapping[str, Iterable[bytes]]:
        """Returns what is known of the client's certificate."""

    def time_remaining(self) -> float | None:
        """Returns the seconds until the deadline, 0 or more; None without one."""
        raise NotImplementedError

    def trailing_metadata(self) -> Any:
        """Returns the metadata that ``set_trailing_metadata`` has set."""
        raise NotImplementedError

    def code(self) -> Any:
        """Returns the code that ``set_code`` has set."""
        raise NotImplementedError

    def details(self) -> Any:
        """Returns the text that ``set_details`` has set."""
        raise NotImplementedError

    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        """Calls ``callback(context)`` once the call has ended."""
        raise NotImplementedError

    def cancelled(self) -> bool:
        """Returns whether the client no longer waits for the call."""
        raise NotImplementedError

    def done(self) -> bool:
        """Returns whether the call has ended."""
        raise NotImplementedError
