# SPDX-License-Identifier: MIT
"""RpcError, one subclass per status code, and what both sides make of them."""

from __future__ import annotations

import enum
import logging
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NamedTuple, NoReturn, Protocol, TypeVar, overload

from . import _core
from ._metadata import Metadata, MetadataLike, encode_metadata

_log = logging.getLogger("trunkline.server")


class _ProtobufMessage(Protocol):
    def SerializeToString(self) -> bytes: ...


Message = TypeVar("Message", bound=_ProtobufMessage)
Error = TypeVar("Error", bound="RpcError")


class StatusCode(enum.IntEnum):
    """The canonical status codes, with the numbers gRPC gives them."""

    OK = 0
    CANCELLED = 1
    UNKNOWN = 2
    INVALID_ARGUMENT = 3
    DEADLINE_EXCEEDED = 4
    NOT_FOUND = 5
    ALREADY_EXISTS = 6
    PERMISSION_DENIED = 7
    RESOURCE_EXHAUSTED = 8
    FAILED_PRECONDITION = 9
    ABORTED = 10
    OUT_OF_RANGE = 11
    UNIMPLEMENTED = 12
    INTERNAL = 13
    UNAVAILABLE = 14
    DATA_LOSS = 15
    UNAUTHENTICATED = 16


class Origin(enum.IntEnum):
    """Who said it: this process, the peer's handler or runtime, or the connection between them."""

    LOCAL = 0
    PEER = 1
    TRANSPORT = 2


class Detail(NamedTuple):
    """One detail of a status, the parts of a ``google.protobuf.Any``."""

    type_url: str
    value: bytes

    @classmethod
    def of(cls, detail: Any) -> Detail:
        """From a ``Detail``, a pair, or a protobuf message."""
        descriptor = getattr(detail, "DESCRIPTOR", None)
        if descriptor is not None:
            return cls(f"type.googleapis.com/{descriptor.full_name}", detail.SerializeToString())
        type_url, value = detail
        if not isinstance(type_url, str) or not isinstance(value, (bytes, bytearray, memoryview)):
            kinds = f"{type(type_url).__name__}, {type(value).__name__}"
            raise TypeError(f"detail: it is a type URL and bytes, not ({kinds})")
        return cls(type_url, bytes(value))


class RpcError(Exception):
    """A call has ended with a status that is not ok.

    Raised by calls, and by handlers to end theirs: the caller then sees the same error. ``RpcError(text, code=...)``
    makes the subclass of that code.
    """

    code: StatusCode = StatusCode.UNKNOWN
    _classes: ClassVar[dict[int, type[RpcError]]] = {}

    #: Where it was said; ``may_have_run`` is False only if it is certain that no handler has seen the call.
    origin: Origin
    may_have_run: bool
    #: What the server sent before its first message, and with the status.
    leading_metadata: Metadata
    trailing_metadata: Metadata
    #: Who answered, e.g. ``tcp://127.0.0.1:8888``; empty if the call never reached a connection.
    peer: str
    message: str

    def __new__(cls: type[Error], message: object = "", *, code: int | None = None, **_: Any) -> Error:
        made: Any = cls
        if code is not None and cls.code != code:
            found = cls._classes.get(code)
            if found is None:
                raise ValueError(f"RpcError: {code} is no code of an error")
            if not issubclass(found, cls):
                raise ValueError(f"{cls.__name__}: its code is {cls.code.name}, not {StatusCode(code).name}")
            made = found
        return Exception.__new__(made, str(message))  # type: ignore[no-any-return]

    def __init__(
        self,
        message: object = "",
        *,
        code: int | None = None,
        details: Iterable[Any] = (),
        trailing_metadata: MetadataLike = None,
    ) -> None:
        """``message`` may be an exception: its text counts."""
        self.message = str(message)
        super().__init__(self.message)
        self.origin = Origin.LOCAL
        self.may_have_run = True
        self.leading_metadata = Metadata()
        self.trailing_metadata = Metadata(trailing_metadata)
        self.peer = ""
        self._details = tuple(Detail.of(detail) for detail in details)

    @overload
    def details(self) -> Sequence[Detail]: ...
    @overload
    def details(self, kind: type[Message]) -> Sequence[Message]: ...
    def details(self, kind: type[Any] | None = None) -> Sequence[Any]:
        """All details, or those that are protobuf messages of class ``kind``, parsed; TypeError for other classes."""
        if kind is None:
            return self._details
        if not hasattr(kind, "DESCRIPTOR"):
            raise TypeError(f"details: {kind!r} is no class of protobuf messages")
        suffix: str = "/" + kind.DESCRIPTOR.full_name
        parse = kind.FromString
        return [parse(detail.value) for detail in self._details if detail.type_url.endswith(suffix)]

    def __str__(self) -> str:
        name = self.code.name.lower()
        return f"{name}: {self.message}" if self.message else name

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (
            int(self.code),
            self.message,
            list(self._details),
            int(self.origin),
            self.may_have_run,
            list(self.leading_metadata),
            list(self.trailing_metadata),
            self.peer,
        )

    def __init_subclass__(cls, **arguments: Any) -> None:
        super().__init_subclass__(**arguments)
        RpcError._classes.setdefault(int(cls.code), cls)


class Cancelled(RpcError):
    """The caller gave the call up."""

    code = StatusCode.CANCELLED


class Unknown(RpcError):
    """An error without a better code."""

    code = StatusCode.UNKNOWN


class InvalidArgument(RpcError):
    """The argument is wrong whatever the state of the system."""

    code = StatusCode.INVALID_ARGUMENT


class DeadlineExceeded(RpcError):
    """The deadline passed before the call completed; it may have run."""

    code = StatusCode.DEADLINE_EXCEEDED


class NotFound(RpcError):
    """Something asked for does not exist."""

    code = StatusCode.NOT_FOUND


class AlreadyExists(RpcError):
    """Something to be created exists."""

    code = StatusCode.ALREADY_EXISTS


class PermissionDenied(RpcError):
    """The caller is known and may not do this."""

    code = StatusCode.PERMISSION_DENIED


class ResourceExhausted(RpcError):
    """A limit was hit: quota, size, concurrency."""

    code = StatusCode.RESOURCE_EXHAUSTED


class FailedPrecondition(RpcError):
    """The system is not in the state the call needs."""

    code = StatusCode.FAILED_PRECONDITION


class Aborted(RpcError):
    """A conflict with another call; repeat the whole sequence."""

    code = StatusCode.ABORTED


class OutOfRange(RpcError):
    """Past the valid range, e.g. reading past the end."""

    code = StatusCode.OUT_OF_RANGE


class Unimplemented(RpcError):
    """The method, codec or compressor is unknown to the server."""

    code = StatusCode.UNIMPLEMENTED


class Internal(RpcError):
    """An invariant is broken; also a handler that raised something else than an RpcError."""

    code = StatusCode.INTERNAL


class Unavailable(RpcError):
    """The peer cannot be reached or is going away; retry with backoff."""

    code = StatusCode.UNAVAILABLE


class DataLoss(RpcError):
    """Unrecoverable loss or corruption of data."""

    code = StatusCode.DATA_LOSS


class Unauthenticated(RpcError):
    """No valid credentials."""

    code = StatusCode.UNAUTHENTICATED


def _restore(
    code: int,
    message: str,
    details: list[tuple[str, bytes]],
    origin: int,
    may_have_run: bool,
    leading: list[tuple[str, bytes]],
    trailing: list[tuple[str, bytes]],
    peer: str,
) -> RpcError:
    """An error as the core or a pickle describes it."""
    error = RpcError(message, code=code, details=details)
    error.origin = Origin(origin)
    error.may_have_run = may_have_run
    error.leading_metadata = Metadata._of(leading)
    error.trailing_metadata = Metadata._of(trailing)
    error.peer = peer
    return error


#: A status: code, message, details, trailing metadata.
Described = tuple[int, str, Sequence[Detail], Sequence[tuple[str, bytes]]]


def describe_error(error: BaseException, method: str) -> Described:
    """What a handler has raised, as the status of its call. Anything but an RpcError is logged with its traceback."""
    if isinstance(error, RpcError):
        try:
            return _described(error)
        except Exception:
            _log.exception("handler of %s raised what cannot be told", method)
    _log.error("handler of %s raised %s", method, type(error).__name__, exc_info=error)
    return int(StatusCode.INTERNAL), f"handler of {method} raised an exception", (), ()


def _described(error: RpcError) -> Described:
    # Its attributes may have been set to anything; and what is no UTF-8 cannot be sent.
    code = StatusCode(error.code)
    if code == StatusCode.OK:
        raise ValueError(f"{type(error).__name__}: its code is OK")
    message = str(error.message).encode("utf-8", "replace").decode()
    details = tuple(Detail.of(detail) for detail in error.details())
    return int(code), message, details, encode_metadata(error.trailing_metadata) or ()


def abort(code: int, message: str, details: Iterable[Any] = (), trailing_metadata: MetadataLike = None) -> NoReturn:
    """Raises the error of ``code``."""
    raise RpcError(message, code=code, details=details, trailing_metadata=trailing_metadata)


_core.set_failure_functions(_restore, describe_error)
