# SPDX-License-Identifier: MIT
"""Prints for the command, and exits at once."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence


def say(text: str) -> None:
    """Prints a message of the command to standard error."""
    print(text, file=sys.stderr, flush=True)


def announce(endpoints: Sequence[str]) -> None:
    """Prints where the server listens."""
    for endpoint in endpoints:
        say(f"listening on {endpoint}")


def leave_at_once(number: int) -> None:
    """Exits at a second signal; calls in progress are cut off."""
    os._exit(128 + number)
