# SPDX-License-Identifier: MIT
"""ServedContext: the call that a blocking handler serves, as its ServicerContext."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from .. import _core
from .._calls.deadline import FOREVER
from .._errors import RpcError as CoreError
from .._messages.compressor import built_in_compressors
from ._call import Status
from ._call_end_watch import CallEndWatch
from ._compression import compressor_of
from ._errors import RpcError
from ._metadatum import Metadata, encoded, presented
from ._server_interface import ServicerContext
from ._status_code import StatusCode, number_of
from ._status_details import split_trailing
from ._target import peer_name

_log = logging.getLogger(__name__)

_OK = 0
_CANCELLED = 1
_INTERNAL = 13


class CallIdentity:
    """The client of a call, with what is known of it."""

    def __init__(self, call: _core.ServedCall) -> None:
        peer = call.peer()
        self.peer = peer_name(peer)
        self.uses_tls = peer.startswith("tls://")
        self.subject = call.certificate_subject()
        self.names = call.certificate_names() if self.subject else []

    def auth_context(self) -> dict[str, list[bytes]]:
        """Returns the properties of the client as grpcio has them; empty without TLS."""
        context: dict[str, list[bytes]] = {}
        if self.uses_tls:
            context["transport_security_type"] = [b"ssl"]
        if self.subject:
            common_name = common_name_of(self.subject)
            if common_name:
                context["x509_common_name"] = [common_name.encode()]
            if self.names:
                context["x509_subject_alternative_name"] = [name.partition(":")[2].encode() for name in self.names]
        return context

    def identity_key(self) -> str | None:
        context = self.auth_context()
        for key in ("x509_subject_alternative_name", "x509_common_name"):
            if key in context:
                return key
        return None


def common_name_of(subject: str) -> str:
    """Returns the common name in the subject of a certificate; empty without one."""
    for part in subject.replace("/", ",").split(","):
        name, _, value = part.strip().partition("=")
        if name.strip() == "CN":
            return value.strip()
    return ""


def _run(callback: Callable[[], Any]) -> None:
    try:
        callback()
    except Exception:
        _log.exception("a callback of a call has raised")


class ServedContext(ServicerContext):
    """The call that a blocking handler serves."""

    def __init__(self, call: _core.ServedCall, watch: CallEndWatch | None) -> None:
        """``watch`` is None for a call that has no callbacks."""
        self._call = call
        self._watch = watch
        self._has_ended = False
        self._is_cancelled = False
        self._code: Any = None
        self._details: Any = None
        self._trailing: Any = None
        self._sent_initial = False
        #: The callbacks, each with a copy of the context variables that were set when it was added.
        self._callbacks: list[tuple[Callable[[], Any], contextvars.Context]] | None = []
        self._lock: threading.Lock = threading.Lock()
        self._compressor = ""
        self._has_aborted = False
        #: The errors that reading requests has raised, which the handler may let pass.
        self._own_errors: list[BaseException] = []

    # --- the call ---

    def is_active(self) -> bool:
        return not (self._has_ended or self._is_cancelled or self._call.is_cancelled())

    def time_remaining(self) -> float | None:
        if self._has_ended:
            return 0.0
        left = self._call.time_left()
        return None if left is None or left > FOREVER / 2 else left

    def cancel(self) -> None:
        """Has the caller get the status CANCELLED once the handler has ended."""
        self._is_cancelled = True
        self._run_callbacks()

    def add_callback(self, callback: Callable[[], Any]) -> bool:
        with self._lock:
            if self._callbacks is None or not self.is_active():
                return False
            self._callbacks.append((callback, contextvars.copy_context()))
        if self._watch is not None:
            self._watch.add(self, self._call)
        return True

    def _run_callbacks(self) -> None:
        """Runs the callbacks once, in the context of the handler, which has ended or waits for them."""
        for callback, _ in self._taken_callbacks():
            _run(callback)

    def _run_callbacks_of_cancelled(self) -> None:
        """Runs the callbacks once, on the thread of the watch, which other calls share. The handler may still run in
        its context, so each callback runs in its copy."""
        for callback, variables in self._taken_callbacks():
            variables.run(_run, callback)

    def _taken_callbacks(self) -> Sequence[tuple[Callable[[], Any], contextvars.Context]]:
        with self._lock:
            callbacks, self._callbacks = self._callbacks, None
        return callbacks or ()

    # --- the client ---

    def invocation_metadata(self) -> Metadata:
        return presented(self._call.metadata())

    def peer(self) -> str:
        return CallIdentity(self._call).peer

    def peer_identities(self) -> Sequence[bytes] | None:
        identity = CallIdentity(self._call)
        key = identity.identity_key()
        return None if key is None else identity.auth_context()[key]

    def peer_identity_key(self) -> str | None:
        return CallIdentity(self._call).identity_key()

    def auth_context(self) -> Mapping[str, Sequence[bytes]]:
        return CallIdentity(self._call).auth_context()

    # --- the response ---

    def set_compression(self, compression: Any) -> None:
        name = compressor_of(compression, built_in_compressors())
        if name is not None:
            self._compressor = name
            self._call.set_compressor(name)

    def disable_next_message_compression(self) -> None:
        self._call.set_compressor("identity")

    def send_initial_metadata(self, initial_metadata: Any) -> None:
        if self._sent_initial:
            raise ValueError("Initial metadata no longer allowed!")
        self._sent_initial = True
        for name, value in encoded(initial_metadata):
            self._call.add_leading_metadata(name, value)
        self._call.send_leading_metadata()

    def set_trailing_metadata(self, trailing_metadata: Any) -> None:
        encoded(trailing_metadata)  # raises for what is none
        self._trailing = trailing_metadata

    def trailing_metadata(self) -> Any:
        return self._trailing

    def abort(self, code: StatusCode, details: str) -> NoReturn:
        if code == StatusCode.OK:
            _log.error("abort() was called with the code OK; the call ends with UNKNOWN")
            code, details = StatusCode.UNKNOWN, ""
        self._code, self._has_aborted = code, True
        self.set_details(details)
        raise Exception

    def abort_with_status(self, status: Status) -> NoReturn:
        self._trailing = status.trailing_metadata
        self.abort(status.code, status.details)

    def set_code(self, code: StatusCode) -> None:
        self._code = code

    def set_details(self, details: str) -> None:
        self._details = details.encode("utf-8", "replace") if isinstance(details, str) else details

    def code(self) -> Any:
        return self._code

    def details(self) -> Any:
        return self._details

    # --- for the server ---

    def read(self) -> bytes | None:
        """Returns the next request of a stream; None after the last one. Raises RpcError if the call has ended."""
        try:
            data = self._call.begin_read(None, None).wait()
        except CoreError as error:
            raised = RpcError(error.message)
            self._own_errors.append(raised)
            raise raised from None
        return data if data is None or type(data) is bytes else bytes(data)

    def write(self, data: bytes) -> bool:
        """Sends a response of a stream. Returns False once the call has ended."""
        self._sent_initial = True
        if not self.is_active():
            return False
        try:
            self._call.begin_write(data, self._call.codec() or "protobuf", None, None).wait()
        except CoreError:
            return False
        self.restore_compression()
        return True

    def restore_compression(self) -> None:
        """Undoes ``disable_next_message_compression`` after a message."""
        if self._compressor:
            self._call.set_compressor(self._compressor)

    def fail_for(self, error: BaseException, doing: str) -> None:
        """Sets the status for what a handler has raised while ``doing``, unless it has aborted or set one."""
        if self._has_aborted:
            return
        if error not in self._own_errors:
            _log.error("Exception %s: %s", doing, error, exc_info=error)
        if self._code is None or number_of(self._code) == _OK:
            self._code = StatusCode.UNKNOWN
        if self._details is None:
            self._details = f"Exception {doing}: {error}"

    def fail(self, code: StatusCode, details: str) -> None:
        """Sets the status."""
        self._code = code
        self.set_details(details)

    def finish(self) -> bool:
        """Hands the status and the trailing metadata to the core and runs the callbacks. Returns True if the status is
        OK; the response, or the end of a stream, is then still to be sent."""
        code = _OK if self._code is None else number_of(self._code)
        if self._is_cancelled:
            code, self._details = _CANCELLED, "the server cancelled the call"
        try:
            trailing, details = split_trailing(encoded(self._trailing))
        except ValueError as error:
            _log.error("trailing metadata: %s", error)
            trailing, details = [], []
            code, self._details = _INTERNAL, "the trailing metadata was invalid"
        if code == _OK:
            for name, value in trailing:
                self._call.add_trailing_metadata(name, value)
        else:
            text = self._details
            text = "" if text is None else text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
            self._call.set_error((code, text, details, trailing))
        self._has_ended = True
        self._run_callbacks()
        return code == _OK


