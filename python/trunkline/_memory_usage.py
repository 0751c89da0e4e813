# SPDX-License-Identifier: MIT
"""MemoryUsage: how much memory a channel or server uses for its peers."""

from __future__ import annotations

from typing import NamedTuple


class MemoryUsage(NamedTuple):
    """Bytes held for peers: input that is incomplete or unread, output that waits, metadata and the state of calls.
    They are counted in steps of 64 KiB; a connection that holds less than 16 KiB counts as nothing."""

    used_bytes: int
    #: The limit: ``max_memory_bytes``, or four of the longest messages if that is more. 0 for a closed channel.
    max_bytes: int
