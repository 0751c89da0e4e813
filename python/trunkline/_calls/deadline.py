# SPDX-License-Identifier: MIT
"""Timeouts, and the deadline that a call made in a handler inherits from the call that the handler serves.

Calls made on a task of an event loop find that deadline here; on worker threads the core keeps it.
"""

from __future__ import annotations

import contextvars
import math
import time
from collections.abc import Mapping
from typing import Any

#: Seconds that stand for "no deadline": a time of this length is infinite for the core.
FOREVER = 9e9


class InheritedDeadline:
    """The deadline of a served call while its handler runs. The tasks that the handler starts share it; after ``end``
    they have no deadline."""

    __slots__ = ("_point",)

    def __init__(self, left: float) -> None:
        """``left`` is the number of seconds from now."""
        self._point = time.monotonic() + left

    def left(self) -> float:
        """Returns the seconds that are left, 0 or more; infinite after ``end``."""
        return max(0.0, self._point - time.monotonic())

    def end(self) -> None:
        self._point = math.inf


_deadline: contextvars.ContextVar[InheritedDeadline | None] = contextvars.ContextVar("trunkline_deadline", default=None)

#: Returns the deadline of the call that the current task serves, which may have ended; None without one.
inherited = _deadline.get


def inherit_deadline(left: float | None) -> InheritedDeadline | None:
    """Sets the deadline of the current task, before the handler runs; the caller ends it afterwards. ``left`` is the
    number of seconds that the served call has; None without a deadline."""
    if left is None:
        return None
    deadline = InheritedDeadline(left)
    _deadline.set(deadline)
    return deadline


def inherits_deadline(options: Mapping[str, Any]) -> bool:
    """Returns whether calls with these options inherit a deadline. The timeout of each call is then different."""
    return options.get("timeout") is None and _deadline.get() is not None


def effective_timeout(timeout: float | None, default: float | None) -> float | None:
    """The timeout of a call made here, in seconds; None leaves it to the core, which applies the channel's default.

    An explicit ``timeout`` wins. Otherwise the inherited deadline counts, with ``default``, the timeout of the channel,
    as an upper bound.
    """
    if timeout is not None:
        return FOREVER if timeout == math.inf else timeout
    deadline = _deadline.get()
    if deadline is None or (left := deadline.left()) == math.inf:
        return None
    return left if default is None else min(left, default)


def checked_timeout(timeout: float) -> float:
    """Raises TypeError or ValueError unless ``timeout`` is a finite number of seconds, 0 or more."""
    if isinstance(timeout, bool):
        raise TypeError(f"timeout is {timeout} (bool), not a number")
    if not math.isfinite(timeout) or timeout < 0:
        raise ValueError(f"timeout: {timeout} is not a finite number of seconds, 0 or more")
    return timeout
