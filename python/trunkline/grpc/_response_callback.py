# SPDX-License-Identifier: MIT
"""ResponseCallback: by which a handler sends the responses of a call that it does not wait for."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ._served_context import ServedContext


class ResponseCallback:
    """Sends the responses of a deferred call: grpcio's ``on_next``. Any thread may call it, at any time, also once the
    handler has returned."""

    def __init__(self, context: ServedContext, encode: Callable[[Any], bytes | None], is_unary: bool) -> None:
        """``encode`` returns the bytes of a response, or None after it has set the status that ends the call.
        ``is_unary``: the client expects one response, the first one, which the core is given with the status."""
        self._context = context
        self._encode = encode
        self._is_unary = is_unary
        self._first: bytes | None = None
        #: A lock that orders the responses and the end. Nothing of the application runs with it.
        self._sending = threading.Lock()

    def __call__(self, response: Any) -> None:
        """Sends a response, and waits until the connection takes it. None ends the call with its status. Does nothing
        once the call is over."""
        if response is None:
            with self._sending:  # behind the responses that other threads send
                last = self._first
            self._context.end(last)
        elif self._context.is_active():
            data = self._encode(response)
            if data is None or not self._send(data):
                self._context.end()
        else:
            self._context.end()

    def _send(self, data: bytes) -> bool:
        """Returns False if the call is over, or its initial metadata was invalid."""
        with self._sending:
            if not self._is_unary:
                return self._context.write(data)
            if self._first is None:
                self._first = data
            return True
