# SPDX-License-Identifier: MIT
"""IncomingCall: a call of a server as its interceptors see it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any, Union

from .. import _core
from .._calls.interception import UNSET, InterceptedCall
from .context import Context


class IncomingCall(InterceptedCall):
    """A call of a server as its interceptors see it."""

    __slots__ = ("_decode", "_request", "context")

    def __init__(self, method: str, kind: str, call: _core.ServedCall, decode: Callable[[], Any] | None) -> None:
        """``decode`` returns the request message; it is None for streams."""
        super().__init__(method, kind)
        #: The context that the handler gets: metadata, deadline, peer, ``abort``.
        self.context = Context(call)
        self._decode = decode
        self._request: Any = UNSET

    @property
    def request(self) -> Any:
        """The request message; None for streams. It is decoded by the first access, which may raise InvalidArgument. It
        can be replaced."""
        if self._request is UNSET:
            self._request = None if self._decode is None else self._decode()
        return self._request

    @request.setter
    def request(self, message: Any) -> None:
        self._request = message


#: A generator function; for ``aio.Server`` it may be asynchronous. The code before its ``yield`` runs before the
#: handler. The ``yield`` returns the response, or raises the error of the handler.
ServerInterceptor = Callable[[IncomingCall], Union[Iterator[None], AsyncIterator[None]]]
