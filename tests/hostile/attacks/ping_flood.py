# SPDX-License-Identifier: MIT
"""Pings as fast as they are taken, by a peer that reads the pongs.

Bounds: each ping is answered once, within 8 MiB.
"""

import wire
from program import MIB

PEAK = 8 * MIB


def attack(target):
    count = target.count(1_000_000, 100_000)
    peer = target.connect()
    for _ in range(count // 1000):
        if not peer.send(wire.ping() * 1000):
            break
    peer.wait(lambda: peer.kinds[wire.PONG] == count)
    target.expect(peer.kinds[wire.PONG] == count, f"{peer.kinds[wire.PONG]} pongs for {count} pings, {peer.goaway}")
    target.note(f"{count} pongs")
