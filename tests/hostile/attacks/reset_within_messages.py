# SPDX-License-Identifier: MIT
"""Connections that are reset in the middle of a frame and in the middle of a message.

Bounds: 32 MiB, all of which returns.
"""

import wire
from program import KIB, MIB

PEAK = 32 * MIB


def attack(target):
    connections = target.count(1000, 100)
    for number in range(connections):
        peer = target.connect()
        start = wire.first_chunk(1, "take", bytes(200 * KIB), 3 * MIB)
        peer.send(start if number % 2 else start[: 100 * KIB])
        peer.reset()
        target.peers.clear()
    target.expect_report(lambda now: now["connections"] == 1, "connections are kept")
    target.note(f"{connections} connections")
