# SPDX-License-Identifier: MIT
"""The records of a soak run, as records.h describes them, and what requests begin with."""

from __future__ import annotations

import asyncio
import mmap
import os
import struct
import threading
import time
from collections.abc import AsyncIterator
from enum import IntEnum

SEQUENCE_BITS = 28
CALLS_PER_CLIENT = 1 << SEQUENCE_BITS
MAX_MESSAGE_BYTES = 16 << 20
#: Seconds; longer than any outage of a server.
CALL_TIMEOUT = 30.0
#: How long after its deadline a call may end on a machine that is busy.
PATIENCE = 15.0


class Kind(IntEnum):
    """The kinds of calls, as in records.h."""

    SMALL = 0
    UNARY = 1
    BLOCKING = 2
    ONE_WAY = 3
    CLIENT_STREAM = 4
    SERVER_STREAM = 5
    BIDIRECTIONAL = 6
    IDEMPOTENT = 7
    CANCELLED = 8


class Outcome(IntEnum):
    """How calls end, as in records.h."""

    BEGUN = 1
    OK = 2
    FAILED = 3
    NOT_RUN = 4
    WRONG = 5
    LATE = 6


def shared_file(path: str, size: int) -> mmap.mmap:
    """A sparse file in memory that all processes share."""
    file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if os.fstat(file).st_size < size:
            os.ftruncate(file, size)
        return mmap.mmap(file, size)
    finally:
        os.close(file)


HEADER = struct.Struct("<QIIII")


class Header:
    """What every request begins with; see request_header.h."""

    def __init__(self, number: int, request_bytes: int, response_bytes: int, messages: int, work_ms: int) -> None:
        self.number = number
        self.request_bytes = max(request_bytes, HEADER.size)
        self.response_bytes = response_bytes
        self.messages = messages
        self.work_ms = work_ms

    @classmethod
    def read(cls, message: bytes) -> Header:
        """Raises ValueError if the message is not what a client has sent."""
        header = cls(*HEADER.unpack_from(message)) if len(message) >= HEADER.size else cls(0, 0, 0, 0, 0)
        if header.request_bytes != len(message) or (
            len(message) > HEADER.size and message[-1] != header.number & 255
        ):
            raise ValueError("the request is not what was sent")
        return header

    def request(self) -> bytes:
        head = HEADER.pack(self.number, self.request_bytes, self.response_bytes, self.messages, self.work_ms)
        return head + bytes([self.number & 255]) * (self.request_bytes - HEADER.size)


def filled(number: int, size: int) -> bytes:
    """``size`` bytes for the call, as fill() of request_header.h makes them."""
    return number.to_bytes(8, "little")[:size] + bytes([number & 255]) * (size - 8)


class RunCounts:
    """How often a server has run each call."""

    def __init__(self, path: str, clients: int) -> None:
        self._bytes = shared_file(path, clients * CALLS_PER_CLIENT)
        self._lock = threading.Lock()

    def take(self, message: bytes) -> Header:
        """Reads a request and counts its call."""
        header = Header.read(message)
        with self._lock:
            self._bytes[header.number] = min(255, self._bytes[header.number] + 1)
        return header


class Call:
    def __init__(self, number: int, kind: Kind) -> None:
        self.number = number
        self.kind = kind
        self.begun = time.monotonic()


class Calls:
    """What a client knows of its calls. Any thread may use it."""

    def __init__(self, path: str, client: int) -> None:
        self._bytes = shared_file(path, CALLS_PER_CLIENT)
        self._client = client
        self._next = 0
        self._lock = threading.Lock()

    def begin(self, kind: Kind) -> Call:
        with self._lock:
            sequence = self._next
            self._next += 1
        self._bytes[sequence] = kind << 4 | Outcome.BEGUN
        return Call(self._client << SEQUENCE_BITS | sequence, kind)

    def end(self, call: Call, outcome: Outcome) -> None:
        if time.monotonic() - call.begun > CALL_TIMEOUT + PATIENCE:
            outcome = Outcome.LATE
        self._bytes[call.number & (CALLS_PER_CLIENT - 1)] = call.kind << 4 | outcome


async def impatient(messages: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    """Reads with so little patience that most reads are given up."""
    patience = 0
    while True:
        patience = (patience + 1) % 500
        try:
            yield await asyncio.wait_for(anext(messages), patience / 1_000_000)
        except asyncio.TimeoutError:
            pass
        except StopAsyncIteration:
            return
