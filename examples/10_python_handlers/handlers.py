# SPDX-License-Identifier: MIT
"""Handlers for a C++ server: functions of bytes, by the names of their methods."""

from __future__ import annotations

import os


def greet(name: bytes) -> bytes:
    if not name:
        raise ValueError("name is empty")
    return b"hello, " + name


def who(request: bytes) -> bytes:
    """The process that serves."""
    return str(os.getpid()).encode()


HANDLERS = {"Python/Greet": greet, "Python/Who": who}
