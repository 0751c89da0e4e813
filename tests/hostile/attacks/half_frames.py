# SPDX-License-Identifier: MIT
"""Connections that begin a frame of 1 MiB, send one byte of it, and stop.

Bounds: memory follows what arrives, not the frame's length: 16 KiB for each connection.
"""

import wire
from program import KIB, MIB

PEAK = 500 * 16 * KIB + 4 * MIB


def attack(target):
    connections = target.count(500, 100)
    for _ in range(connections):
        peer = target.connect()
        start = wire.first_chunk(1, "take", b"x", 4 * MIB)
        peer.send(MIB.to_bytes(4, "little") + start[4:])
    target.wait_for_echoes(20)
    target.note(f"{connections} connections")
