# SPDX-License-Identifier: MIT
"""RpcError and its subclasses, one for each status code; conversions between errors and statuses."""

from __future__ import annotations

import contextlib
import enum
import logging
from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, NoReturn, TypeVar, overload

from . import _core
from ._detail import Detail, details_of_kind
from ._metadata import Metadata, MetadataLike, encode_metadata

_log = logging.getLogger("trunkline.server")


_ERROR_INFO = "type.googleapis.com/google.rpc.ErrorInfo"
_RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"
# ErrorInfo(reason="SERVER_DRAINING", domain="trunkline")
_DRAINING = b"\x0a\x0fSERVER_DRAINING\x12\x09trunkline"

Message = TypeVar("Message")
Error = TypeVar("Error", bound="RpcError")


class StatusCode(enum.IntEnum):
    """The canonical status codes of gRPC, with its numbers."""

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
    """The origin of a status: this process, the peer (its handler or runtime), or the connection between them."""

    LOCAL = 0
    PEER = 1
    TRANSPORT = 2


class RpcError(Exception):
    """A call has ended with a status other than ok.

    Calls raise it. A handler raises it to end its call; the caller then gets the same error. ``RpcError(text,
    code=...)`` makes an instance of the subclass of that code.
    """

    code: StatusCode = StatusCode.UNKNOWN
    _classes: ClassVar[dict[int, type[RpcError]]] = {}

    #: The origin of the status.
    origin: Origin
    #: True if a handler may have seen the call; False only if certainly none has.
    may_have_run: bool
    #: The metadata that the server sent before its first message.
    leading_metadata: Metadata
    #: The metadata that the server sent with the status.
    trailing_metadata: Metadata
    #: The endpoint of the server, e.g. ``tcp://127.0.0.1:8888``; empty if the call never reached a connection.
    peer: str
    message: str

    def __new__(cls: type[Error], message: object = "", *, code: int | None = None, **_: Any) -> Error:
        made: Any = cls
        if code is not None and cls.code != code:
            found = cls._classes.get(code)
            if found is None:
                raise ValueError(f"RpcError: {code} is not the code of an error")
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
        """``message`` is a str, or an exception whose text is used. ``details`` are protobuf messages, dataclasses and
        the like; see ``Detail.of``."""
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
        """Returns all details, or those that hold a ``kind``, decoded: a class of protobuf messages, or of structures
        such as dataclasses, which are found by its name. Raises TypeError for another class, ValueError for a structure
        with other fields."""
        return self._details if kind is None else details_of_kind(kind, self._details)

    @classmethod
    def reconnect(cls, message: object = "the server is draining") -> RpcError:
        """Makes the error that a handler raises to end a stream because its server drains: ``unavailable``, with
        ``should_reconnect`` true for the client."""
        return RpcError(message, code=StatusCode.UNAVAILABLE, details=[Detail(_ERROR_INFO, _DRAINING)])

    @property
    def should_reconnect(self) -> bool:
        """Returns whether the server has ended a stream because it drains, so that the client may open it again at
        once: it reaches another server."""
        return any(detail.type_url == _ERROR_INFO and detail.value == _DRAINING for detail in self._details)

    @property
    def retry_after(self) -> float | None:
        """The seconds after which the server wants the call again, if it says so. An overloaded server does."""
        return next((_retry_delay(each.value) for each in self._details if each.type_url == _RETRY_INFO), None)

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


def _varints(message: bytes) -> dict[int, int]:
    """Returns the fields of a message that has nothing but varints; those before the first malformed one."""
    fields: dict[int, int] = {}
    numbers: list[int] = []
    value = shift = 0
    for byte in message:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
    for tag, number in zip(numbers[::2], numbers[1::2]):
        fields[tag >> 3] = number
    return fields


def _retry_delay(info: bytes) -> float:
    # RetryInfo.retry_delay, a Duration of seconds and nanoseconds.
    duration = _varints(info[2 : 2 + info[1]]) if len(info) > 1 and info[0] == 0x0A else {}
    return duration.get(1, 0) + duration.get(2, 0) / 1e9


class Cancelled(RpcError):
    """The caller cancelled the call."""

    code = StatusCode.CANCELLED


class Unknown(RpcError):
    """An error without a more specific code."""

    code = StatusCode.UNKNOWN


class InvalidArgument(RpcError):
    """The argument is invalid regardless of the state of the system."""

    code = StatusCode.INVALID_ARGUMENT


class DeadlineExceeded(RpcError):
    """The deadline passed before the call finished; it may have run."""

    code = StatusCode.DEADLINE_EXCEEDED


class NotFound(RpcError):
    """A requested entity does not exist."""

    code = StatusCode.NOT_FOUND


class AlreadyExists(RpcError):
    """The entity to be created exists already."""

    code = StatusCode.ALREADY_EXISTS


class PermissionDenied(RpcError):
    """The caller is authenticated but not allowed to do this."""

    code = StatusCode.PERMISSION_DENIED


class ResourceExhausted(RpcError):
    """A limit is reached: a quota, a size, a number of concurrent calls."""

    code = StatusCode.RESOURCE_EXHAUSTED


class FailedPrecondition(RpcError):
    """The system is not in the state that the call requires."""

    code = StatusCode.FAILED_PRECONDITION


class Aborted(RpcError):
    """A conflict with another call; retry the whole sequence."""

    code = StatusCode.ABORTED


class OutOfRange(RpcError):
    """An operation past the valid range, e.g. reading past the end."""

    code = StatusCode.OUT_OF_RANGE


class Unimplemented(RpcError):
    """The server does not know the method, codec or compressor."""

    code = StatusCode.UNIMPLEMENTED


class Internal(RpcError):
    """An invariant is broken, or a handler raised an exception other than RpcError."""

    code = StatusCode.INTERNAL


class Unavailable(RpcError):
    """The peer cannot be reached or is shutting down; retry with backoff."""

    code = StatusCode.UNAVAILABLE


class DataLoss(RpcError):
    """Data is lost or corrupted beyond recovery."""

    code = StatusCode.DATA_LOSS


class Unauthenticated(RpcError):
    """The caller has no valid credentials."""

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
    """Makes the error that the core or a pickle describes."""
    error = RpcError(message, code=code, details=details)
    error.origin = Origin(origin)
    error.may_have_run = may_have_run
    error.leading_metadata = Metadata._of(leading)
    error.trailing_metadata = Metadata._of(trailing)
    error.peer = peer
    return error


#: A status: code, message, details, trailing metadata.
Described = tuple[int, str, Sequence[Detail], Sequence[tuple[str, bytes]]]


def describe_error(error: BaseException, method: str, exposes_text: bool = False) -> Described:
    """Returns the status for the exception that a handler has raised. Exceptions other than RpcError are logged with
    their traceback. With ``exposes_text`` the caller gets their class and text."""
    if isinstance(error, RpcError):
        try:
            return _described(error)
        except Exception:
            _log.exception("handler of %s raised an error that cannot be described", method)
    _log.error("handler of %s raised %s", method, type(error).__name__, exc_info=error)
    text = f"handler of {method} raised an exception"
    if exposes_text:
        with contextlib.suppress(Exception):  # its __str__ may raise
            text = f"handler of {method} raised {type(error).__name__}: {error}".encode("utf-8", "replace").decode()
    return int(StatusCode.INTERNAL), text, (), ()


def _described(error: RpcError) -> Described:
    # The application may have set the attributes to anything. Text that UTF-8 cannot encode is replaced.
    code = StatusCode(error.code)
    if code == StatusCode.OK:
        raise ValueError(f"{type(error).__name__}: its code is OK")
    message = str(error.message).encode("utf-8", "replace").decode()
    details = tuple(Detail.of(detail) for detail in error.details())
    return int(code), message, details, encode_metadata(error.trailing_metadata) or ()


def abort(code: int, message: str, details: Iterable[Any] = (), trailing_metadata: MetadataLike = None) -> NoReturn:
    """Raises the RpcError of ``code``."""
    raise RpcError(message, code=code, details=details, trailing_metadata=trailing_metadata)


def _show_public_module() -> None:
    """Names the module from which users import the classes, as tracebacks show it."""
    for kind in (Detail, Origin, StatusCode, RpcError, *RpcError._classes.values()):
        kind.__module__ = "trunkline"


_show_public_module()

_core.set_failure_functions(_restore, describe_error)
