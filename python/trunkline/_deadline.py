# SPDX-License-Identifier: MIT
"""The deadline of the call that a task serves, for the calls it makes. (Worker threads have it from the core.)"""

from __future__ import annotations

import contextvars
import math
import time
from collections.abc import Mapping
from typing import Any

#: Seconds that stand for no deadline: the core knows no more of them.
FOREVER = 9e9


class InheritedDeadline:
    """Of a call while its handler runs. What the handler has started shares it, and has none once that has ended."""

    __slots__ = ("_point",)

    def __init__(self, left: float) -> None:
        self._point = time.monotonic() + left

    def left(self) -> float:
        return max(0.0, self._point - time.monotonic())

    def end(self) -> None:
        self._point = math.inf


_deadline: contextvars.ContextVar[InheritedDeadline | None] = contextvars.ContextVar("trunkline_deadline", default=None)

#: That of the call that is served here, ended or not; or None.
inherited = _deadline.get


def inherit_deadline(left: float | None) -> InheritedDeadline | None:
    """In the task that serves a call that has so many seconds left, before its handler; to be ended after that."""
    if left is None:
        return None
    deadline = InheritedDeadline(left)
    _deadline.set(deadline)
    return deadline


def inherits_anew(options: Mapping[str, Any]) -> bool:
    """Whether each call with these options has another timeout than the one before it: what is left by then."""
    return options.get("timeout") is None and _deadline.get() is not None


def effective_timeout(timeout: float | None, default: float | None) -> float | None:
    """What a call made here has: its own timeout if it has one; else what is left of the call that is served here, but
    no more than ``default``, the channel's, which the core applies where nothing is inherited. As on worker threads."""
    if timeout is not None:
        return FOREVER if timeout == math.inf else timeout
    deadline = _deadline.get()
    if deadline is None or (left := deadline.left()) == math.inf:
        return None
    return left if default is None else min(left, default)
