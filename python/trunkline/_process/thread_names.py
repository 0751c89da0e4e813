# SPDX-License-Identifier: MIT
"""The names that threads have in debuggers and in tools such as top, beside those that Python gives them."""

from __future__ import annotations

import threading
from contextlib import suppress

_LONGEST = 15


def name_for_system(thread: threading.Thread) -> None:
    """Gives a thread that has been started its name in the system, "trunk-..." as in C++. Python before 3.14 does not.

    A thread without it works as well, so that a failure is no error.
    """
    name = thread.name.replace("trunkline-", "trunk-")[:_LONGEST]
    with suppress(OSError, MemoryError), open(f"/proc/self/task/{thread.native_id}/comm", "w") as file:
        file.write(name)
