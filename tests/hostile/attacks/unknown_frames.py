# SPDX-License-Identifier: MIT
"""Frames of unknown types that must be skipped, long and short.

Bounds: 8 MiB; a call behind them is served.
"""

import wire
from program import KIB, MIB

PEAK = 8 * MIB


def attack(target):
    count = target.count(1_000_000, 100_000)
    peer = target.connect()
    for _ in range(count // 1000):
        peer.send(wire.frame(0x80, call=7) * 1000)
    for _ in range(count // 2000):
        peer.send(wire.frame(0xFF, bytes(1000 * KIB)))
    peer.send(peer.call("echo", b"8 bytes!"))
    peer.wait(lambda: peer.finishes == 1)
    target.expect(peer.statuses == {wire.OK: 1}, f"a call behind unknown frames: {dict(peer.statuses)}, {peer.goaway}")
    target.note("all skipped")
