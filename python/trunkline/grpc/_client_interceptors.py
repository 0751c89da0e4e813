# SPDX-License-Identifier: MIT
"""The interfaces of client interceptors, one for each kind of method."""

from __future__ import annotations

import abc
from collections.abc import Callable, Iterator
from typing import Any

from ._call import ClientCallDetails


class UnaryUnaryClientInterceptor(abc.ABC):
    """Intercepts calls with one request and one response."""

    @abc.abstractmethod
    def intercept_unary_unary(
        self, continuation: Callable[..., Any], client_call_details: ClientCallDetails, request: Any
    ) -> Any:
        """Returns a call that is also a future, such as ``continuation(client_call_details, request)`` returns."""


class UnaryStreamClientInterceptor(abc.ABC):
    """Intercepts calls with one request and a stream of responses."""

    @abc.abstractmethod
    def intercept_unary_stream(
        self, continuation: Callable[..., Any], client_call_details: ClientCallDetails, request: Any
    ) -> Any:
        """Returns a call that is also an iterator of responses, such as ``continuation(client_call_details, request)``
        returns."""


class StreamUnaryClientInterceptor(abc.ABC):
    """Intercepts calls with a stream of requests and one response."""

    @abc.abstractmethod
    def intercept_stream_unary(
        self,
        continuation: Callable[..., Any],
        client_call_details: ClientCallDetails,
        request_iterator: Iterator[Any],
    ) -> Any:
        """Returns a call that is also a future, such as ``continuation(client_call_details, request_iterator)``
        returns."""


class StreamStreamClientInterceptor(abc.ABC):
    """Intercepts calls with a stream of requests and a stream of responses."""

    @abc.abstractmethod
    def intercept_stream_stream(
        self,
        continuation: Callable[..., Any],
        client_call_details: ClientCallDetails,
        request_iterator: Iterator[Any],
    ) -> Any:
        """Returns a call that is also an iterator of responses, such as ``continuation(client_call_details,
        request_iterator)`` returns."""
