# SPDX-License-Identifier: MIT
"""CallRequest: the options of a client's call; ChannelTerms: the terms that a channel adds to each of its calls."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any, NamedTuple

from .. import _core
from .._calls.deadline import FOREVER
from .._messages.compressor import built_in_compressors
from .._sync.workers import this_thread
from ._call_credentials import CallCredentials, CredentialsError
from ._compression import compressor_of
from ._ended_call import FailedCall
from ._metadatum import InvalidMetadataError, encoded
from ._outcome import Outcome
from ._status_code import StatusCode

#: The codec whose content type is ``application/grpc+proto``; the core passes the bytes of messages untouched.
CODEC = "protobuf"

_PLAIN_SETTINGS = _core.CallSettings(None, None, False, False, "", "")
_PLAIN_SETTINGS_OF_HANDLERS = _core.CallSettings(FOREVER, None, False, False, "", "")


def plain_settings() -> _core.CallSettings:
    """Returns the settings of a call that states none. It has no deadline, not even that of a handler that makes it."""
    return _PLAIN_SETTINGS_OF_HANDLERS if this_thread.inherits_deadlines else _PLAIN_SETTINGS


def failure(code: StatusCode, details: str) -> FailedCall:
    """Returns the error of a call that this side ends."""
    return FailedCall(Outcome(code, details, debug_error_string=details))


def serialized(request: Any, serialize: Callable[[Any], bytes] | None) -> bytes:
    """Returns the bytes of a request. Raises an RpcError with INTERNAL, as grpcio does."""
    try:
        data = request if serialize is None else serialize(request)
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise TypeError(f"a request is {type(data).__name__}, not bytes")
    except Exception as error:
        raise failure(StatusCode.INTERNAL, "Exception serializing request!") from error
    return data if type(data) is bytes else bytes(data)


def checked(data: bytes, limit: int | None) -> bytes:
    """Returns the bytes of a request. Raises an RpcError with RESOURCE_EXHAUSTED for more than ``limit``."""
    if limit is not None and len(data) > limit:
        raise failure(StatusCode.RESOURCE_EXHAUSTED, f"CLIENT: {over_limit(len(data), limit)}")
    return data


def over_limit(size: int, limit: int) -> str:
    """Returns the text for a message that is too long to be sent."""
    return f"Sent message larger than max ({size} vs. {limit})"


def deserialized(data: Any, deserialize: Callable[[bytes], Any] | None) -> Any:
    """Returns the response that bytes encode. Raises an RpcError with INTERNAL, as grpcio does."""
    if type(data) is not bytes:
        data = bytes(data)
    if deserialize is None:
        return data
    try:
        return deserialize(data)
    except Exception as error:
        raise failure(StatusCode.INTERNAL, "Exception deserializing response!") from error


class ChannelTerms(NamedTuple):
    """The terms that a channel adds to each of its calls."""

    #: The name of the server, for credentials.
    authority: str
    #: The credentials of every call; None for none.
    credentials: CallCredentials | None
    #: True if credentials may be sent.
    is_secure: bool
    #: The bytes of the longest request; None for any number.
    send_limit: int | None = None


class CallRequest(NamedTuple):
    """The options that a client sends with a call, besides its requests."""

    timeout: float | None = None
    metadata: Any = None
    credentials: Any = None
    wait_for_ready: bool | None = None
    compression: Any = None

    def deadline(self) -> float | None:
        """Returns the point of ``time.monotonic()`` at which the call ends."""
        return None if self.timeout is None else time.monotonic() + self.timeout

    def settings(self, method: str, terms: ChannelTerms) -> _core.CallSettings:
        """Returns the settings. Raises an RpcError for invalid metadata, and if there are no credentials; for what is
        not metadata what ``encoded`` raises."""
        try:
            metadata = encoded(self.metadata)
        except InvalidMetadataError as error:
            raise failure(StatusCode.INTERNAL, "Invalid metadata") from error
        if self.credentials is not None or terms.credentials is not None:
            try:
                metadata = [*metadata, *encoded(self._credentials(method, terms))]
            except (TypeError, ValueError) as error:
                raise failure(StatusCode.UNAVAILABLE, "Illegal metadata") from error
        timeout: float | None = FOREVER if this_thread.inherits_deadlines else None
        if self.timeout is not None:
            timeout = min(max(float(self.timeout), 0.0), FOREVER)
        compressor = compressor_of(self.compression, built_in_compressors()) or ""
        return _core.CallSettings(timeout, metadata or None, bool(self.wait_for_ready), False, compressor, "")

    def _credentials(self, method: str, terms: ChannelTerms) -> list[tuple[str, Any]]:
        if not terms.is_secure:
            raise failure(
                StatusCode.UNAUTHENTICATED,
                "Established channel does not have a sufficient security level to transfer call credential.",
            )
        found: list[tuple[str, Any]] = []
        for credentials in (terms.credentials, self.credentials):
            if credentials is None:
                continue
            try:
                found += credentials.metadata(terms.authority, method, self.timeout)
            except CredentialsError as error:
                raise failure(StatusCode.UNAVAILABLE, str(error)) from error
            except TimeoutError as error:
                raise failure(StatusCode.DEADLINE_EXCEEDED, str(error)) from error
        return found
