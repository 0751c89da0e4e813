# SPDX-License-Identifier: MIT
"""Peers open endless server streams, grant all credit, and read nothing.

Bounds: max_memory_bytes.
"""

import wire
from program import KIB, MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_memory_bytes": 64 * MIB}
PEAK = 64 * MIB + 24 * MIB


def attack(target):
    connections = target.count(40, 20)
    for _ in range(connections):
        peer = target.connect(receive_buffer=4 * KIB, connection_credit=(1 << 31) - 1, call_credit=(1 << 31) - 1)
        peer.push(b"".join(peer.call("source", b"1000000 65536") for _ in range(100)), stall=0.2)
    target.wait_for_echoes(50)
    target.note(f"{connections} connections with 100 streams each")
