# SPDX-License-Identifier: MIT
"""Context: what a handler knows and may say about the call it serves."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NoReturn

from . import _core
from ._deadline import FOREVER
from ._errors import abort
from ._metadata import Metadata, MetadataLike, Value, encode_metadata


class Context:
    """Valid until the call has been answered; afterwards its functions raise FailedPrecondition."""

    __slots__ = ("_call",)
    _is_trunkline_context = True

    def __init__(self, call: _core.ServedCall) -> None:
        self._call = call

    @property
    def method(self) -> str:
        """The name under which the handler is served."""
        return self._call.method()

    @property
    def peer(self) -> str:
        """E.g. ``tcp://127.0.0.1:40312``."""
        return self._call.peer()

    @property
    def certificate_subject(self) -> str:
        """Of the client's verified certificate; empty without one."""
        return self._call.certificate_subject()

    @property
    def metadata(self) -> Metadata:
        """What the client has sent."""
        return Metadata._of(self._call.metadata())

    @property
    def codec(self) -> str:
        """How the request was encoded; the answer is encoded likewise."""
        return self._call.codec()

    def time_left(self) -> float | None:
        """Seconds until the caller's deadline, not negative; None if it has none."""
        left = self._call.time_left()
        return None if left is None or left > FOREVER / 2 else left

    def is_cancelled(self) -> bool:
        """The caller has given up, its deadline has passed, or its connection is gone: nobody waits for the answer."""
        return self._call.is_cancelled()

    def add_leading_metadata(self, name: str, value: Value) -> None:
        """Sent before the first message; without effect after it."""
        self._call.add_leading_metadata(name, value)

    def add_trailing_metadata(self, name: str, value: Value) -> None:
        """Sent with the status."""
        self._call.add_trailing_metadata(name, value)

    def set_compressor(self, name: str) -> bool:
        """For what follows; ``identity``: none. False if this server or the client does not have it."""
        return self._call.set_compressor(name)

    def disconnect(self) -> None:
        """Drops the connection of the call without a goodbye, as a failing network does: the client's calls on it end with
        Unavailable, those of this side are cancelled. What was sent before goes out as far as there is room."""
        self._call.disconnect()

    def abort(
        self, code: int, message: str, details: Iterable[Any] = (), trailing_metadata: MetadataLike = None
    ) -> NoReturn:
        """Ends the call with an error: raises the RpcError of ``code``."""
        abort(code, message, details, encode_metadata(trailing_metadata))
