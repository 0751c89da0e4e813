# SPDX-License-Identifier: MIT
"""What clients and servers write down of each call, as call_record.h describes it."""

from __future__ import annotations

import mmap
import os
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum

SEQUENCE_BITS = 17
CALLS_PER_CLIENT = 1 << SEQUENCE_BITS
METHOD = "fleet/Work"
#: The number of the call, and for how many milliseconds its handler waits.
REQUEST = struct.Struct("<QQ")
#: The number of the call, and that of the server, from 1.
RESPONSE = struct.Struct("<QQ")
ENTRY = struct.Struct("<ddBBBBI")


class Outcome(IntEnum):
    NONE = 0
    BEGUN = 1
    OK = 2
    POSSIBLY_RUN = 3
    NOT_RUN = 4
    WRONG = 5


@dataclass(frozen=True)
class Call:
    number: int
    #: Times are those of the monotonic clock, in seconds.
    begun: float
    ended: float
    is_idempotent: bool
    outcome: Outcome
    server: int
    code: int

    @property
    def seconds(self) -> float:
        return self.ended - self.begun

    @property
    def is_ok(self) -> bool:
        return self.outcome == Outcome.OK


def shared_file(path: str, size: int) -> mmap.mmap:
    """A sparse file in memory that all processes share."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.fstat(file).st_size < size:
            os.ftruncate(file, size)
        return mmap.mmap(file, size)
    finally:
        os.close(file)


class ClientRecord:
    """The calls of one client, in the order in which they have begun."""

    def __init__(self, path: str, client: int) -> None:
        self._bytes = shared_file(path, CALLS_PER_CLIENT * ENTRY.size)
        self._first = client << SEQUENCE_BITS

    def write(self, call: Call) -> None:
        values = (call.begun, call.ended, call.is_idempotent, call.outcome, call.server, call.code, 0)
        ENTRY.pack_into(self._bytes, (call.number - self._first) * ENTRY.size, *values)

    def __iter__(self) -> Iterator[Call]:
        for sequence in range(CALLS_PER_CLIENT):
            begun, ended, is_idempotent, outcome, server, code, _ = ENTRY.unpack_from(
                self._bytes, sequence * ENTRY.size
            )
            if outcome == Outcome.NONE:
                return
            number = self._first + sequence
            yield Call(number, begun, ended, bool(is_idempotent), Outcome(outcome), server, code)


class RunCounts:
    """How often one server has run each call."""

    def __init__(self, path: str, clients: int) -> None:
        self._bytes = shared_file(path, clients * CALLS_PER_CLIENT)

    def count(self, number: int) -> None:
        self._bytes[number] += 1

    def __getitem__(self, number: int) -> int:
        return self._bytes[number]
