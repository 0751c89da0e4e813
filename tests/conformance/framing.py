# SPDX-License-Identifier: MIT
"""Messages as connectconformance exchanges them with the programs under test: behind their length in four bytes."""

from __future__ import annotations

import struct
import sys
from typing import TypeVar

from google.protobuf.message import Message

Kind = TypeVar("Kind", bound=Message)


def read(kind: type[Kind]) -> Kind | None:
    """The next message from standard input; None at its end."""
    size = sys.stdin.buffer.read(4)
    if len(size) < 4:
        return None
    message = kind()
    message.ParseFromString(sys.stdin.buffer.read(struct.unpack(">I", size)[0]))
    return message


def write(message: Message) -> None:
    """Writes a message to standard output."""
    data = message.SerializeToString()
    sys.stdout.buffer.write(struct.pack(">I", len(data)) + data)
    sys.stdout.buffer.flush()
