# SPDX-License-Identifier: MIT
"""A peer that grants one byte at a time, so that each byte of a response needs a frame.

Bounds: 8 MiB, and no more frames than grants.
"""

import wire
from program import KIB, MIB

PEAK = 8 * MIB


def attack(target):
    grants = target.count(500_000, 2_000)
    peer = target.connect()
    peer.send(peer.call("source", b"1 1048576"))
    peer.wait(lambda: peer.message_bytes >= 64 * KIB)
    before = peer.kinds[wire.MESSAGE]
    for _ in range(0, grants, 100):
        if not peer.send((wire.credit(1, 1) + wire.credit(0, 17)) * 100):
            break
    peer.send(wire.ping())
    peer.wait(lambda: peer.kinds[wire.PONG] == 1)
    frames = peer.kinds[wire.MESSAGE] - before
    target.expect(frames <= grants, f"{frames} frames for {grants} grants")
    target.note(f"{frames} frames for {grants} grants")
