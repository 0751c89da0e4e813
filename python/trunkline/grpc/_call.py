# SPDX-License-Identifier: MIT
"""RpcContext and Call: the interfaces of a call, for both sides and for the client."""

from __future__ import annotations

import abc
from collections.abc import Callable
from typing import Any

from ._status_code import StatusCode


class RpcContext(abc.ABC):
    """The interface of a call, for either side."""

    @abc.abstractmethod
    def is_active(self) -> bool:
        """Returns whether the call has not ended."""

    @abc.abstractmethod
    def time_remaining(self) -> float | None:
        """Returns the seconds until the deadline, 0 or more; None without one."""

    @abc.abstractmethod
    def cancel(self) -> Any:
        """Cancels the call. It has no effect once the call has ended."""

    @abc.abstractmethod
    def add_callback(self, callback: Callable[[], Any]) -> bool:
        """Calls ``callback()`` when the call ends. Returns False if it has ended; the callback is then not called."""


class Call(RpcContext, metaclass=abc.ABCMeta):
    """A call of a client. Its functions wait for what they return."""

    @abc.abstractmethod
    def initial_metadata(self) -> Any:
        """Returns the metadata that the server has sent before its first message."""

    @abc.abstractmethod
    def trailing_metadata(self) -> Any:
        """Returns the metadata that the server has sent with the status."""

    @abc.abstractmethod
    def code(self) -> StatusCode | None:
        """Returns the code of the status."""

    @abc.abstractmethod
    def details(self) -> str | None:
        """Returns the text of the status."""


class Status(abc.ABC):
    """The status of a call, for ``ServicerContext.abort_with_status``.

    ``code``: a StatusCode other than OK. ``details``: a text. ``trailing_metadata``: pairs of a name and a value, or
    None.
    """

    code: StatusCode
    details: str
    trailing_metadata: Any


class ClientCallDetails(abc.ABC):
    """The properties of a call that a client interceptor sees.

    ``method``: its name, as ``/package.Service/Method``. ``timeout``: seconds, or None. ``metadata``: pairs of a name
    and a value, or None. ``credentials``: CallCredentials, or None. ``wait_for_ready``: True, False or None.
    ``compression``: a Compression, or None.
    """

    method: str
    timeout: float | None
    metadata: Any
    credentials: Any
    wait_for_ready: bool | None
    compression: Any
