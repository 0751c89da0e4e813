# SPDX-License-Identifier: MIT
"""The exceptions of the asyncio interface, and the mark of the end of a stream."""

from __future__ import annotations

from typing import Any

from .._errors import RpcError
from .._outcome import Outcome, text_of
from .._status_code import StatusCode
from ._metadata import Metadata


class BaseError(Exception):
    """The base of errors of use."""


class UsageError(BaseError):
    """The interface is not used as it must be."""


class AbortError(BaseError):
    """A handler has ended its call with ``abort``."""


class InternalError(BaseError):
    """Something has failed in the library."""


class _EndOfFile:
    """The type of the object that a read returns after the last message."""

    def __bool__(self) -> bool:
        return False

    def __len__(self) -> int:
        return 0

    def __repr__(self) -> str:
        return "<grpc.aio.EOF>"

    def __copy__(self) -> _EndOfFile:
        return self

    def __reduce__(self) -> str:
        return "EOF"


EOF = _EndOfFile()


class AioRpcError(RpcError):
    """A call has ended with a status other than OK."""

    def __init__(
        self,
        code: StatusCode,
        initial_metadata: Metadata | None = None,
        trailing_metadata: Metadata | None = None,
        details: str | None = None,
        debug_error_string: str | None = None,
    ) -> None:
        super().__init__()
        self._code = code
        self._details = details
        self._initial_metadata = initial_metadata
        self._trailing_metadata = trailing_metadata
        self._debug_error_string = debug_error_string

    def code(self) -> StatusCode:
        """Returns the code of the status."""
        return self._code

    def details(self) -> str | None:
        """Returns the text of the status."""
        return self._details

    def initial_metadata(self) -> Metadata | None:
        """Returns the metadata that the server has sent before its first message."""
        return self._initial_metadata

    def trailing_metadata(self) -> Metadata | None:
        """Returns the metadata that the server has sent with the status."""
        return self._trailing_metadata

    def debug_error_string(self) -> str | None:
        """Returns the status with the server's address, for logs."""
        return self._debug_error_string

    def __repr__(self) -> str:
        outcome = Outcome(self._code, self._details or "", (), (), self._debug_error_string or "")
        return text_of(type(self).__name__, outcome)

    __str__ = __repr__

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (
            self._code,
            self._initial_metadata,
            self._trailing_metadata,
            self._details,
            self._debug_error_string,
        )


def error_of(outcome: Outcome) -> AioRpcError:
    """Returns the error of a call that has ended with this outcome."""
    return AioRpcError(
        outcome.code,
        Metadata(*outcome.initial_metadata),
        Metadata(*outcome.trailing_metadata),
        outcome.details,
        outcome.debug_error_string,
    )
