# SPDX-License-Identifier: MIT
"""The deadline of the call that a task serves, for the calls it makes. (Worker threads have it from the core.)"""

from __future__ import annotations

import contextvars
import time

_deadline: contextvars.ContextVar[float | None] = contextvars.ContextVar("trunkline_deadline", default=None)


def inherit_deadline(left: float) -> None:
    """In the task that serves a call that has so many seconds left, before its handler."""
    _deadline.set(time.monotonic() + left)


def inherited_timeout(timeout: float | None) -> float | None:
    """What a call made here has: its own timeout if it has one, else what is left of the call that is served here."""
    deadline = _deadline.get()
    if timeout is not None or deadline is None:
        return timeout
    return max(0.0, deadline - time.monotonic())
