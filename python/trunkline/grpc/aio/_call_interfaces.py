# SPDX-License-Identifier: MIT
"""The interfaces of calls, for asyncio: one for both sides, and one for each kind of a client's calls.

Their bases stand in grpcio's order, as classes of applications that derive from several of them need it.
"""

from __future__ import annotations

import abc
from collections.abc import AsyncIterator, Callable, Generator
from typing import Any, Generic, TypeVar

from .._status_code import StatusCode
from ._metadata import Metadata

Request = TypeVar("Request")
Response = TypeVar("Response")


class RpcContext(metaclass=abc.ABCMeta):
    """The interface of a call, for either side."""

    @abc.abstractmethod
    def cancelled(self) -> bool:
        """Returns whether the call has ended by cancellation."""

    @abc.abstractmethod
    def done(self) -> bool:
        """Returns whether the call has ended."""

    @abc.abstractmethod
    def time_remaining(self) -> float | None:
        """Returns the seconds until the deadline, 0 or more; None without one."""

    @abc.abstractmethod
    def cancel(self) -> bool:
        """Cancels the call. Returns False if it has ended."""

    @abc.abstractmethod
    def add_done_callback(self, callback: Callable[[Any], None]) -> None:
        """Calls ``callback(call)`` once the call has ended."""


class Call(RpcContext, metaclass=abc.ABCMeta):
    """A call of a client."""

    @abc.abstractmethod
    async def initial_metadata(self) -> Metadata | None:
        """Returns the metadata before the first message; None if interceptors have made no call."""

    @abc.abstractmethod
    async def trailing_metadata(self) -> Metadata | None:
        """Returns the metadata sent with the status; None if interceptors have made no call."""

    @abc.abstractmethod
    async def code(self) -> StatusCode:
        """Returns the code of the status."""

    @abc.abstractmethod
    async def details(self) -> str:
        """Returns the text of the status."""

    @abc.abstractmethod
    async def wait_for_connection(self) -> None:
        """Waits until the call has a connection; if it has one request, until the server responds. Raises AioRpcError if
        it has ended with an error."""


class UnaryUnaryCall(Generic[Request, Response], Call, metaclass=abc.ABCMeta):
    """A call with one request and one response."""

    @abc.abstractmethod
    def __await__(self) -> Generator[Any, None, Response]:
        """Waits for the response. Raises AioRpcError, or CancelledError if this side has cancelled the call."""


class UnaryStreamCall(Generic[Request, Response], Call, metaclass=abc.ABCMeta):
    """A call with one request and a stream of responses."""

    @abc.abstractmethod
    def __aiter__(self) -> AsyncIterator[Response]:
        """Iterates over the responses. A call is either iterated over or read."""

    @abc.abstractmethod
    async def read(self) -> Any:
        """Returns the next response; EOF after the last one. Raises AioRpcError."""


class StreamUnaryCall(Generic[Request, Response], Call, metaclass=abc.ABCMeta):
    """A call with a stream of requests and one response."""

    @abc.abstractmethod
    async def write(self, request: Request) -> None:
        """Sends a request, unless the call has got an iterator of them."""

    @abc.abstractmethod
    async def done_writing(self) -> None:
        """Tells the server that no more requests follow."""

    @abc.abstractmethod
    def __await__(self) -> Generator[Any, None, Response]:
        """Waits for the response. Raises AioRpcError, or CancelledError if this side has cancelled the call."""


class StreamStreamCall(Generic[Request, Response], Call, metaclass=abc.ABCMeta):
    """A call with a stream of requests and a stream of responses."""

    @abc.abstractmethod
    def __aiter__(self) -> AsyncIterator[Response]:
        """Iterates over the responses. A call is either iterated over or read."""

    @abc.abstractmethod
    async def read(self) -> Any:
        """Returns the next response; EOF after the last one. Raises AioRpcError."""

    @abc.abstractmethod
    async def write(self, request: Request) -> None:
        """Sends a request, unless the call has got an iterator of them."""

    @abc.abstractmethod
    async def done_writing(self) -> None:
        """Tells the server that no more requests follow."""
