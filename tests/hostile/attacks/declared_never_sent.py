# SPDX-License-Identifier: MIT
"""Calls that declare the longest message and send 16 bytes of it.

Bounds: memory follows what arrives, not what is declared: 8 KiB for each call.
"""

import wire
from program import KIB, MIB

CALLS = 100
PEAK = 100 * CALLS * 8 * KIB
OPTIONS = {"max_message_bytes": 64 * MIB}


def attack(target):
    connections = target.count(100, 20)
    for _ in range(connections):
        peer = target.connect()
        peer.send(b"".join(wire.first_chunk(call + 1, "take", bytes(16), 64 * MIB) for call in range(CALLS)))
        peer.send(wire.ping())
        peer.wait(lambda peer=peer: peer.kinds[wire.PONG] == 1)
    target.note(f"{connections * CALLS} calls declared {connections * CALLS * 64 // 1024} GiB")
