# SPDX-License-Identifier: MIT
"""ServedContext: the call that a blocking handler serves, as its ServicerContext."""

from __future__ import annotations

import contextlib
import contextvars
import logging
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn, TypeVar

from .. import _core
from .._calls.deadline import FOREVER
from .._errors import RpcError as CoreError
from .._messages.compressor import built_in_compressors
from .._process.threads import start_thread
from ._call import Status
from ._call_end_watch import CallEndWatch
from ._compression import compressor_of
from ._errors import RpcError
from ._metadatum import InvalidMetadataError, Metadata, encoded, received_of
from ._server_interface import ServicerContext
from ._status_code import StatusCode, number_of
from ._status_details import split_trailing
from ._target import peer_name

_T = TypeVar("_T")

_log = logging.getLogger(__name__)

#: The deadline of a call that has none, as grpcio has it: seconds of ``time.time()``.
FAR_FUTURE = float(2**63 - 1)

#: grpcio's names of properties, by the kinds of a certificate's alternative names.
_PEER_KEYS = {"DNS": "peer_dns", "IP": "peer_ip", "URI": "peer_uri", "email": "peer_email"}

_OK = 0
_CANCELLED = 1
_UNKNOWN = 2
_INTERNAL = 13


class CallIdentity:
    """The client of a call, with what is known of it."""

    def __init__(self, call: _core.ServedCall) -> None:
        peer = call.peer()
        self.peer = peer_name(peer)
        self.uses_tls = peer.startswith("tls://")
        #: The verified certificate; empty without one.
        self.pem = call.certificate_pem() if self.uses_tls else ""
        self.subject = call.certificate_subject() if self.pem else ""
        self.names = call.certificate_names() if self.pem else []

    def auth_context(self) -> dict[str, list[bytes]]:
        """Returns the properties of the connection and its client as grpcio has them."""
        kind, level = (b"ssl", b"TSI_PRIVACY_AND_INTEGRITY") if self.uses_tls else (b"insecure", b"TSI_SECURITY_NONE")
        context: dict[str, list[bytes]] = {"transport_security_type": [kind], "security_level": [level]}
        if self.pem:
            common_name = common_name_of(self.subject)
            if common_name:
                context["x509_common_name"] = [common_name.encode()]
            context["x509_pem_cert"] = [self.pem.encode()]
            for name in self.names:
                kind_of_name, _, text = name.partition(":")
                context.setdefault("x509_subject_alternative_name", []).append(text.encode())
                if kind_of_name in _PEER_KEYS:
                    context.setdefault(_PEER_KEYS[kind_of_name], []).append(text.encode())
                if kind_of_name == "URI" and text.startswith("spiffe://"):
                    context["peer_spiffe_id"] = [text.encode()]
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


class CallState(NamedTuple):
    """The state of a call, with the names that grpcio's private one has."""

    #: ``cancelled`` once the call was cancelled, ``open`` otherwise.
    client: str
    code: Any
    details: Any
    trailing_metadata: Any


class _KeptCall(NamedTuple):
    """The parts of a call that outlast it."""

    metadata: Metadata
    identity: CallIdentity
    #: A point of ``time.monotonic()``; None without a deadline.
    deadline: float | None


def _run(callback: Callable[[], Any]) -> None:
    try:
        callback()
    except Exception:
        _log.exception("a callback of a call has raised")


class ServedContext(ServicerContext):
    """The call that a blocking handler serves."""

    def __init__(
        self, call: _core.ServedCall, watch: CallEndWatch | None, end_early: Callable[[_core.ServedCall], None]
    ) -> None:
        """``watch`` is None for a call that has no callbacks. ``end_early`` sends the status of a call whose handler
        still runs."""
        self._call = call
        self._watch = watch
        self._end_early = end_early
        #: The parts of the call that its handler may ask for after it has cancelled the call, or a deferred one has
        #: ended. The core has them no longer.
        self._kept: _KeptCall | None = None
        self._has_ended = False
        self._is_cancelled = False
        #: True for a deferred call that ends when its client cancels it.
        self._ends_with_client = False
        #: True once a deferred call is being ended.
        self._is_ending = False
        self._code: Any = None
        self._details: Any = None
        self._trailing: Any = None
        self._sent_initial = False
        #: True once the handler has set metadata that cannot be sent, which ends the call with INTERNAL.
        self._has_invalid_metadata = False
        #: The callbacks, each with a copy of the context variables that were set when it was added.
        self._callbacks: list[tuple[Callable[[], Any], contextvars.Context]] | None = []
        self._lock: threading.Lock = threading.Lock()
        self._compressor = ""
        self._has_aborted = False
        #: The errors that reading requests has raised, which the handler may let pass.
        self._own_errors: list[BaseException] = []

    # --- the call ---

    @property
    def _state(self) -> CallState:
        """The state of the call, which packages read by grpcio's private name."""
        is_cancelled = self._is_cancelled or not (self._has_ended or self.is_active())
        return CallState("cancelled" if is_cancelled else "open", self._code, self._details, self._trailing)

    def is_active(self) -> bool:
        return not (self._has_ended or self._is_cancelled or self._call.is_cancelled())

    def time_remaining(self) -> float:
        if self._has_ended:
            return 0.0
        left = self.time_left()
        return FAR_FUTURE - time.time() if left is None else left

    def time_left(self) -> float | None:
        """Returns the seconds until the deadline, 0 or more; None without one."""
        if self._kept is not None:
            deadline = self._kept.deadline
            return None if deadline is None else max(0.0, deadline - time.monotonic())
        try:
            left = self._call.time_left()
        except CoreError:  # another thread has ended the call
            return self.time_left() if self._kept is not None else 0.0
        return None if left is None or left > FOREVER / 2 else left

    def cancel(self) -> None:
        """Ends the call with CANCELLED at once. The handler goes on, and finds it ended. The callbacks run on another
        thread, as the caller may hold what they wait for."""
        with self._lock:
            if self._has_ended or self._is_cancelled:
                return
            self._keep()
            self._is_cancelled = True
            self._call.set_error((_CANCELLED, "CANCELLED", (), ()))
        self._end_early(self._call)
        if self._watch is not None:
            self._watch.release(self)
        self._start_callbacks()  # if a thread is refused, they run once the handler has ended

    def _keep(self) -> None:
        """Keeps what the handler may still ask for when the core has the call no longer."""
        if self._kept is None:
            left = self.time_left()
            deadline = None if left is None else time.monotonic() + left
            self._kept = _KeptCall(self.invocation_metadata(), CallIdentity(self._call), deadline)

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

    def _run_callbacks_elsewhere(self) -> None:
        """Runs the callbacks once, on another thread than that of the handler, which may still run in the context of
        the call. Each callback therefore runs in a copy of it."""
        for callback, variables in self._taken_callbacks():
            variables.run(_run, callback)

    def _start_callbacks(self) -> bool:
        """Runs the callbacks on a thread of their own. Returns False if the system refuses it."""
        with self._lock:
            has_callbacks = bool(self._callbacks)
        try:
            if has_callbacks:
                start_thread(self._run_callbacks_elsewhere)
        except RuntimeError:
            return False
        return True

    def _on_cancelled(self) -> None:
        """Called when the client has cancelled the call, on another thread than that of the handler."""
        try:
            if self._ends_with_client:
                self._end(None)
        finally:
            self._run_callbacks_elsewhere()

    def _taken_callbacks(self) -> Sequence[tuple[Callable[[], Any], contextvars.Context]]:
        with self._lock:
            callbacks, self._callbacks = self._callbacks, None
        return callbacks or ()

    # --- the client ---

    def invocation_metadata(self) -> Metadata:
        return self._known(received_of, lambda kept: kept.metadata)

    def _identity(self) -> CallIdentity:
        return self._known(CallIdentity, lambda kept: kept.identity)

    def _known(self, ask: Callable[[_core.ServedCall], _T], remember: Callable[[_KeptCall], _T]) -> _T:
        """Returns what the core says of the call, or what is kept of it: another thread may end the call meanwhile."""
        if self._kept is None:
            try:
                return ask(self._call)
            except CoreError:
                if self._kept is None:
                    raise
        return remember(self._kept)

    def peer(self) -> str:
        return self._identity().peer

    def peer_identities(self) -> Sequence[bytes] | None:
        identity = self._identity()
        key = identity.identity_key()
        return None if key is None else identity.auth_context()[key]

    def peer_identity_key(self) -> str | None:
        return self._identity().identity_key()

    def auth_context(self) -> Mapping[str, Sequence[bytes]]:
        return self._identity().auth_context()

    # --- the response ---

    def set_compression(self, compression: Any) -> None:
        name = compressor_of(compression, built_in_compressors())
        if name is not None and self._kept is None:
            self._compressor = name
            self._set_compressor(name)

    def disable_next_message_compression(self) -> None:
        if self._kept is None:
            self._set_compressor("identity")

    def _set_compressor(self, name: str) -> None:
        with contextlib.suppress(CoreError):  # another thread has ended the call
            self._call.set_compressor(name)

    def send_initial_metadata(self, initial_metadata: Any) -> None:
        if self._is_cancelled:
            raised = RpcError()
            self._own_errors.append(raised)
            raise raised
        if self._sent_initial:
            raise ValueError("Initial metadata no longer allowed!")
        try:
            pairs = encoded(initial_metadata)
        except InvalidMetadataError as error:
            _log.error("initial metadata: %s", error)
            self._has_invalid_metadata = self._sent_initial = True
            return
        self._sent_initial = True
        for name, value in pairs:
            self._call.add_leading_metadata(name, value)
        self._call.send_leading_metadata()

    def set_trailing_metadata(self, trailing_metadata: Any) -> None:
        with contextlib.suppress(InvalidMetadataError):  # which ends the call when it is sent
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
        """Returns the next request of a stream; None after the last one, and once a deferred call has ended. Raises
        RpcError if the call was cancelled."""
        if self._has_ended and not self._is_cancelled:
            return None
        try:
            data = self._call.begin_read(None, None).wait()
        except CoreError as error:
            if self._has_ended and not self._is_cancelled:
                return None
            raised = RpcError(error.message)
            self._own_errors.append(raised)
            raise raised from None
        return data if data is None or type(data) is bytes else bytes(data)

    def write(self, data: bytes) -> bool:
        """Sends a response of a stream. Returns False once the call has ended."""
        self._sent_initial = True
        if self._has_invalid_metadata or not self.is_active():
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
            self._set_compressor(self._compressor)

    def fail_for(self, error: BaseException, doing: str) -> None:
        """Sets the status for what a handler has raised while ``doing``, unless it has aborted or set one."""
        if self._has_aborted:
            return
        try:
            text = f"Exception {doing}: {error}"
        except Exception:
            text = f"{doing[0].upper()}{doing[1:]} raised unprintable Exception!"
        if error not in self._own_errors:
            _log.error("%s", text, exc_info=error)
        if self._code is None or number_of(self._code) == _OK:
            self._code = StatusCode.UNKNOWN
        if self._details is None:
            self._details = text

    def fail(self, code: StatusCode, details: str) -> None:
        """Sets the status."""
        self._code = code
        self.set_details(details)

    def defer(self, *, ends_with_client: bool) -> None:
        """Has the call go on when its entry returns, until ``end``. ``ends_with_client``: that the client cancels it,
        or its deadline passes, ends it as well, and until then the call is kept alive."""
        self._call.defer()
        if ends_with_client and self._watch is not None:
            self._ends_with_client = True
            self._watch.hold(self, self._call)

    def end(self, response: bytes | None = None) -> None:
        """Ends a deferred call with its status; ``response`` is that of a call without streams. The callbacks run on
        another thread, as the caller may hold what they wait for. Any thread may call it. Only the first time has an
        effect."""
        try:
            self._end(response)
        finally:
            if not self._start_callbacks():
                self._run_callbacks_elsewhere()

    def _end(self, response: bytes | None) -> None:
        with self._lock:
            if self._is_ending:
                return
            self._is_ending = True
            self._keep()
            if not self._is_cancelled and self._call.is_cancelled():
                self._is_cancelled = True
                self._call.set_error((_CANCELLED, "CANCELLED", (), ()))
        try:
            if not self._set_status():
                pass
            elif response is None:
                self._call.set_ok()
            else:
                self._call.set_response(response)
        except BaseException:
            self._call.set_error((_UNKNOWN, "Exception ending the call", (), ()))
            raise
        finally:
            self._end_early(self._call)
            if self._watch is not None:
                self._watch.release(self)

    def finish(self) -> bool:
        """Hands the status and the trailing metadata to the core and runs the callbacks. Returns True if the status is
        OK; the response, or the end of a stream, is then still to be sent."""
        is_ok = self._set_status()
        self._run_callbacks()
        return is_ok

    def _set_status(self) -> bool:
        """Hands the status and the trailing metadata to the core. Returns True if the status is OK."""
        code = _OK if self._code is None else number_of(self._code)
        try:
            trailing, details = split_trailing(encoded(self._trailing))
        except (TypeError, ValueError) as error:
            _log.error("trailing metadata: %s", error)
            trailing, details = [], []
            self._has_invalid_metadata = True
        if self._has_invalid_metadata:
            code, self._details = _INTERNAL, "Invalid metadata"
        with self._lock:
            self._has_ended = True
            is_cancelled = self._is_cancelled
            if is_cancelled:
                pass  # the client has its status
            elif code == _OK:
                for name, value in trailing:
                    self._call.add_trailing_metadata(name, value)
            else:
                text = self._details
                text = "" if text is None else text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
                self._call.set_error((code, text, details, trailing))
        return code == _OK and not is_cancelled


