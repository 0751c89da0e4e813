# SPDX-License-Identifier: MIT
"""PlainContext: the call that a plain function serves on a server for asyncio, as its ServicerContext."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import Any, NoReturn

from .._call import Status
from .._metadatum import encoded
from .._served_context import ServedContext as BlockingContext
from .._server_interface import ServicerContext
from .._status_code import StatusCode, code_of
from ._errors import AbortError, UsageError


class PlainContext(ServicerContext):
    """A context that raises what grpcio's asyncio raises where a function is called too late or twice, and that has no
    time remaining without a deadline. After ``abort`` nothing changes the status. The contexts of coroutines, which are
    others, pass their own functions on to one."""

    def __init__(self, inner: BlockingContext) -> None:
        """``inner`` keeps the status and the metadata."""
        self._inner = inner
        self.has_aborted = False
        #: The code as the handler has set it, which may be a number.
        self._set_code: Any = None
        left = inner.time_left()
        #: By the monotonic clock; None without a deadline.
        self._deadline = None if left is None else time.monotonic() + left

    def check_open(self) -> None:
        """Raises AbortError after ``abort``, and UsageError once the call has ended."""
        if self.has_aborted:
            raise AbortError("Locally aborted.")
        if self._inner._has_ended:
            raise UsageError("RPC already finished.")

    # --- what is called too late, or twice ---

    def send_initial_metadata(self, initial_metadata: Any) -> None:
        self.check_open()
        if self._inner._sent_initial:
            raise UsageError("Send initial metadata failed: already sent")
        encoded(initial_metadata)  # raises for what is none, and others may still be sent
        self._inner.send_initial_metadata(initial_metadata)

    def set_compression(self, compression: Any) -> None:
        if self.has_aborted:
            return
        if self._inner._sent_initial or self._inner._has_ended:
            raise RuntimeError("Compression setting must be specified before sending initial metadata")
        self._inner.set_compression(compression)

    def disable_next_message_compression(self) -> None:
        if not self._inner._has_ended:
            self._inner.disable_next_message_compression()

    def abort(self, code: StatusCode, details: str = "", trailing_metadata: Any = ()) -> NoReturn:
        if self.has_aborted:
            raise UsageError("Abort already called!")
        self.check_open()
        if trailing_metadata:
            self.set_trailing_metadata(trailing_metadata)
        code = code_of(code) if isinstance(code, int) else code
        if code == StatusCode.OK:
            code = StatusCode.UNKNOWN
        self.has_aborted = True
        self._set_code = None
        with contextlib.suppress(Exception):  # what it raises says that a blocking handler has aborted
            self._inner.abort(code, details or self.details())
        raise AbortError("Locally aborted.")

    def abort_with_status(self, status: Status) -> NoReturn:
        self.abort(status.code, status.details, status.trailing_metadata)

    # --- the status ---

    def set_trailing_metadata(self, trailing_metadata: Any) -> None:
        """Sets the metadata. Raises TypeError for what is no metadata."""
        if trailing_metadata is None or isinstance(trailing_metadata, Mapping):
            kind = type(trailing_metadata).__name__
            raise TypeError(f"invalid trailing metadata: {kind}, not pairs of a name and a value")
        kept = tuple(trailing_metadata) if hasattr(trailing_metadata, "__iter__") else trailing_metadata
        try:
            encoded(kept)
        except ValueError as error:
            raise TypeError(f"invalid trailing metadata: {error}") from error
        if not self.has_aborted:
            self._inner.set_trailing_metadata(kept)

    def trailing_metadata(self) -> Any:
        found = self._inner.trailing_metadata()
        return () if found is None else found

    def set_code(self, code: Any) -> None:
        if not self.has_aborted:
            self._set_code = code
            self._inner.set_code(code_of(code) if isinstance(code, int) else code)

    def code(self) -> Any:
        return self._inner.code() if self._set_code is None else self._set_code

    def set_details(self, details: str) -> None:
        if not self.has_aborted:
            self._inner.set_details(details)

    def details(self) -> Any:
        found = self._inner.details()
        return found.decode("utf-8", "replace") if isinstance(found, bytes) else found or ""

    # --- the call and its client ---

    def time_remaining(self) -> float | None:
        """Returns the seconds until the deadline, 0 or more; None without one."""
        return None if self._deadline is None else max(0.0, self._deadline - time.monotonic())

    def is_active(self) -> bool:
        return self._inner.is_active()

    def cancel(self) -> None:
        self._inner.cancel()

    def add_callback(self, callback: Callable[[], Any]) -> bool:
        return self._inner.add_callback(callback)

    def invocation_metadata(self) -> Any:
        return self._inner.invocation_metadata()

    def peer(self) -> str:
        return self._inner.peer()

    def peer_identities(self) -> Any:
        return self._inner.peer_identities()

    def peer_identity_key(self) -> str | None:
        return self._inner.peer_identity_key()

    def auth_context(self) -> Any:
        return self._inner.auth_context()
