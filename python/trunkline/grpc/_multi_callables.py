# SPDX-License-Identifier: MIT
"""The interfaces of a channel's methods, one for each kind."""

from __future__ import annotations

import abc
from typing import Any


class UnaryUnaryMultiCallable(abc.ABC):
    """A method with one request and one response."""

    @abc.abstractmethod
    def __call__(
        self,
        request: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> Any:
        """Waits for the response. Raises an RpcError that is also a Call."""

    @abc.abstractmethod
    def with_call(
        self,
        request: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> tuple[Any, Any]:
        """Waits as ``__call__`` does, and returns the response and the Call."""

    @abc.abstractmethod
    def future(
        self,
        request: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> Any:
        """Begins the call. Returns an object that is a Call and a Future."""


class UnaryStreamMultiCallable(abc.ABC):
    """A method with one request and a stream of responses."""

    @abc.abstractmethod
    def __call__(
        self,
        request: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> Any:
        """Begins the call. Returns an object that is a Call and an iterator of the responses."""


class StreamUnaryMultiCallable(abc.ABC):
    """A method with a stream of requests and one response."""

    @abc.abstractmethod
    def __call__(
        self,
        request_iterator: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> Any:
        """Waits for the response. Raises an RpcError that is also a Call."""

    @abc.abstractmethod
    def with_call(
        self,
        request_iterator: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> tuple[Any, Any]:
        """Waits as ``__call__`` does, and returns the response and the Call."""

    @abc.abstractmethod
    def future(
        self,
        request_iterator: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> Any:
        """Begins the call. Returns an object that is a Call and a Future."""


class StreamStreamMultiCallable(abc.ABC):
    """A method with a stream of requests and a stream of responses."""

    @abc.abstractmethod
    def __call__(
        self,
        request_iterator: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> Any:
        """Begins the call. Returns an object that is a Call and an iterator of the responses."""
