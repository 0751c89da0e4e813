# SPDX-License-Identifier: MIT
"""Peers ask for many large responses with few bytes, grant all credit, and read nothing.

Bounds: max_memory_bytes. The server stops to serve a connection whose output waits.
"""

import wire
from program import KIB, MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_memory_bytes": 64 * MIB}
PEAK = 64 * MIB + 16 * MIB


def attack(target):
    connections = target.count(100, 40)
    for _ in range(connections):
        peer = target.connect(receive_buffer=4 * KIB, connection_credit=(1 << 31) - 1, call_credit=(1 << 31) - 1)
        peer.push(b"".join(peer.call("big", b"1048576") for _ in range(100)), stall=0.2)
    target.wait_for_echoes(50)
    target.note(f"{connections} connections, {target.program.report()['calls_started']} calls begun")
