# SPDX-License-Identifier: MIT
"""Pings whose pongs the peer does not read.

Bounds: 2 MiB for each connection; the server stops reading or disconnects.
"""

import wire
from program import KIB, MIB

CONNECTIONS = 8
PEAK = CONNECTIONS * 2 * MIB + 8 * MIB


def attack(target):
    count = target.count(2_000_000, 200_000)
    frames = wire.ping() * count
    closed = taken = 0
    for _ in range(CONNECTIONS):
        peer = target.connect(receive_buffer=4 * KIB)
        taken += peer.push(frames, stall=0.3) // len(wire.ping())
        closed += peer.sends_failed
    target.note(f"took {taken} of {count * CONNECTIONS} pings, disconnected {closed} of {CONNECTIONS}")
