# SPDX-License-Identifier: MIT
"""Channel: the interface of a channel."""

from __future__ import annotations

import abc
from collections.abc import Callable
from types import TracebackType
from typing import Any, TypeVar

from ._connectivity import ChannelConnectivity
from ._multi_callables import (
    StreamStreamMultiCallable,
    StreamUnaryMultiCallable,
    UnaryStreamMultiCallable,
    UnaryUnaryMultiCallable,
)

Self = TypeVar("Self", bound="Channel")


class Channel(abc.ABC):
    """Makes calls to one target. Any thread may use it."""

    @abc.abstractmethod
    def subscribe(
        self, callback: Callable[[ChannelConnectivity], None], try_to_connect: bool | None = False
    ) -> None:
        """Calls ``callback(connectivity)`` with the state of the channel, and then with each new one."""

    @abc.abstractmethod
    def unsubscribe(self, callback: Callable[[ChannelConnectivity], None]) -> None:
        """Ends the calls of ``callback`` that ``subscribe`` has begun."""

    @abc.abstractmethod
    def unary_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryUnaryMultiCallable:
        """Returns the method, whose name is ``/package.Service/Method``."""

    @abc.abstractmethod
    def unary_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryStreamMultiCallable:
        """Returns the method, whose name is ``/package.Service/Method``."""

    @abc.abstractmethod
    def stream_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> StreamUnaryMultiCallable:
        """Returns the method, whose name is ``/package.Service/Method``."""

    @abc.abstractmethod
    def stream_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> StreamStreamMultiCallable:
        """Returns the method, whose name is ``/package.Service/Method``."""

    @abc.abstractmethod
    def close(self) -> None:
        """Cancels the calls in progress; further ones raise ValueError."""

    def __enter__(self: Self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()
