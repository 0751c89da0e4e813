# SPDX-License-Identifier: MIT
"""StatusCode: the codes of a call's status, as grpcio has them."""

from __future__ import annotations

import enum


class StatusCode(enum.Enum):
    """The codes of gRPC, each with its number and its name in lower case."""

    OK = (0, "ok")
    CANCELLED = (1, "cancelled")
    UNKNOWN = (2, "unknown")
    INVALID_ARGUMENT = (3, "invalid argument")
    DEADLINE_EXCEEDED = (4, "deadline exceeded")
    NOT_FOUND = (5, "not found")
    ALREADY_EXISTS = (6, "already exists")
    PERMISSION_DENIED = (7, "permission denied")
    RESOURCE_EXHAUSTED = (8, "resource exhausted")
    FAILED_PRECONDITION = (9, "failed precondition")
    ABORTED = (10, "aborted")
    OUT_OF_RANGE = (11, "out of range")
    UNIMPLEMENTED = (12, "unimplemented")
    INTERNAL = (13, "internal")
    UNAVAILABLE = (14, "unavailable")
    DATA_LOSS = (15, "data loss")
    UNAUTHENTICATED = (16, "unauthenticated")


_by_number: dict[int, StatusCode] = {code.value[0]: code for code in StatusCode}


def code_of(number: int) -> StatusCode:
    """Returns the code of a number; UNKNOWN for one that gRPC does not have."""
    return _by_number.get(int(number), StatusCode.UNKNOWN)


def number_of(code: object) -> int:
    """Returns the number of a code that an application has set; that of UNKNOWN for what is no StatusCode."""
    return int(code.value[0]) if isinstance(code, StatusCode) else 2
