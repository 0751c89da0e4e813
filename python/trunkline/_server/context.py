# SPDX-License-Identifier: MIT
"""Context: the call that a handler serves: its metadata, deadline, peer and cancellation."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from .. import _core
from .._calls.deadline import FOREVER
from .._errors import abort
from .._metadata import Metadata, MetadataLike, Value, encode_metadata


class Context:
    """The call that a handler serves. Once the call has finished, its functions raise FailedPrecondition."""

    __slots__ = ("_call",)
    _is_trunkline_context = True

    def __init__(self, call: _core.ServedCall) -> None:
        self._call = call

    @property
    def method(self) -> str:
        """The full name of the method."""
        return self._call.method()

    @property
    def peer(self) -> str:
        """The client's endpoint, e.g. ``tcp://127.0.0.1:40312``."""
        return self._call.peer()

    @property
    def certificate_subject(self) -> str:
        """The subject of the client's verified certificate; empty without one."""
        return self._call.certificate_subject()

    @property
    def certificate_names(self) -> tuple[str, ...]:
        """The subject alternative names of the client's verified certificate, such as ``DNS:example.org``,
        ``IP:127.0.0.1``, ``URI:spiffe://example.org/a`` and ``email:ann@example.org``; empty without one."""
        return tuple(self._call.certificate_names())

    @property
    def certificate_pem(self) -> str:
        """The client's verified certificate in PEM, without those of its authorities; empty without one."""
        return self._call.certificate_pem()

    @property
    def user_agent(self) -> str:
        """What a client over HTTP says it is: its ``user-agent`` field, of which at most 1024 bytes are kept. Empty if
        the client sends none, and over Trunkline's own protocol."""
        return self._call.user_agent()

    @property
    def metadata(self) -> Metadata:
        """The metadata that the client has sent."""
        return Metadata._of(self._call.metadata())

    @property
    def codec(self) -> str:
        """The codec of the request, which is also that of the response."""
        return self._call.codec()

    def time_left(self) -> float | None:
        """Seconds until the deadline of the call, 0 or more; None without a deadline."""
        left = self._call.time_left()
        return None if left is None or left > FOREVER / 2 else left

    def is_cancelled(self) -> bool:
        """Returns whether the caller no longer waits: it has cancelled the call, the deadline has passed, or the
        connection is lost."""
        return self._call.is_cancelled()

    def is_draining(self) -> bool:
        """Returns whether the connection takes no further calls: the server shuts down or ``max_connection_age`` has
        passed. A stream without an end of its own ends soon, best by raising ``RpcError.reconnect()``."""
        return self._call.is_draining()

    def add_leading_metadata(self, name: str, value: Value) -> None:
        """Adds metadata that is sent before the first message. Without effect after that message."""
        self._call.add_leading_metadata(name, value)

    def add_trailing_metadata(self, name: str, value: Value) -> None:
        """Adds metadata that is sent with the status."""
        self._call.add_trailing_metadata(name, value)

    def set_compressor(self, name: str) -> bool:
        """Selects the compressor of the messages that follow; ``identity`` for none. Returns False if this server or
        the client does not have it."""
        return self._call.set_compressor(name)

    def disconnect(self) -> None:
        """Drops the connection of the call, as a failing network does. The client's calls on it end with Unavailable,
        the handlers' calls on this side are cancelled. Bytes sent before are written as far as the socket takes
        them."""
        self._call.disconnect()

    def abort(
        self, code: int, message: str, details: Iterable[Any] = (), trailing_metadata: MetadataLike = None
    ) -> NoReturn:
        """Ends the call with an error: raises the RpcError of ``code``."""
        abort(code, message, details, encode_metadata(trailing_metadata))
