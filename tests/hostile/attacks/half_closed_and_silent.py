# SPDX-License-Identifier: MIT
"""Connections that are half-closed and never read what was asked for.

Bounds: max_memory_bytes; stall_timeout ends them.
"""

import wire
from program import KIB, MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_memory_bytes": 64 * MIB, "stall_timeout": 1000}
PEAK = 64 * MIB + 16 * MIB


def attack(target):
    connections = target.count(50, 20)
    for _ in range(connections):
        peer = target.connect(receive_buffer=4 * KIB, connection_credit=(1 << 31) - 1, call_credit=(1 << 31) - 1)
        peer.push(b"".join(peer.call("big", b"1048576") for _ in range(30)), stall=0.2)
        peer.half_close()
    target.expect_report(lambda now: now["connections"] == 1, "half-closed connections that do not read are kept")
    target.note(f"{connections} connections ended")
