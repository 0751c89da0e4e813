# SPDX-License-Identifier: MIT
"""keep_running: tasks that go on although nobody waits for them."""

from __future__ import annotations

import asyncio
from typing import Any

#: The tasks, as loops hold theirs weakly.
_tasks: set[asyncio.Task[Any]] = set()


def keep_running(task: asyncio.Task[Any]) -> None:
    """Keeps a task until it ends, or until its loop is closed and another task comes."""
    if task.done():
        return
    for left in [task for task in _tasks if task.get_loop().is_closed()]:
        _tasks.discard(left)
    _tasks.add(task)
    task.add_done_callback(_tasks.discard)
