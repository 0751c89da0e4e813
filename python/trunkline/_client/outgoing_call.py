# SPDX-License-Identifier: MIT
"""OutgoingCall: a call of a channel as its interceptors see it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Union

from .._calls.interception import InterceptedCall
from .._metadata import MetadataLike, Value, pairs_of
from .response_info import ResponseInfo


class OutgoingCall(InterceptedCall):
    """A call of a channel as its interceptors see it. What they change takes effect at the next ``yield``."""

    __slots__ = ("metadata", "request", "response_info", "timeout")

    def __init__(
        self,
        method: str,
        kind: str,
        request: Any,
        timeout: float | None,
        metadata: MetadataLike,
        response_info: ResponseInfo | None,
    ) -> None:
        super().__init__(method, kind)
        #: The request message; None for a stream of requests.
        self.request = request
        #: The timeout in seconds; None for the channel's default.
        self.timeout = timeout
        #: The metadata to send, as pairs of a name and a value.
        self.metadata: list[tuple[str, Value]] = pairs_of(metadata)
        #: The response info, which is filled in when the call ends.
        self.response_info = ResponseInfo() if response_info is None else response_info

    def set_metadata(self, name: str, value: Value) -> None:
        """Replaces all values of this name."""
        self.metadata[:] = [pair for pair in self.metadata if pair[0] != name]
        self.metadata.append((name, value))


#: A generator function; for ``aio.Channel`` it may be asynchronous. The code before its ``yield`` runs before the call
#: is sent. The ``yield`` returns the response, or raises the error of the call.
ClientInterceptor = Callable[[OutgoingCall], Union[Iterator[None], AsyncIterator[None]]]
