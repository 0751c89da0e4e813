# SPDX-License-Identifier: MIT
"""Calls of methods that do not exist, whose refusals the peer does not read.

Bounds: 4 MiB for each connection; the server stops reading.
"""

import wire
from program import KIB, MIB

CONNECTIONS = 8
PEAK = CONNECTIONS * 4 * MIB + 8 * MIB


def attack(target):
    count = target.count(200_000, 30_000)
    taken = 0
    for _ in range(CONNECTIONS):
        peer = target.connect(receive_buffer=4 * KIB)
        frames = b"".join(peer.call("nobody/knows") for _ in range(count))
        taken += peer.push(frames, stall=0.3) * count // len(frames)
    target.note(f"took {taken} of {count * CONNECTIONS} calls")
