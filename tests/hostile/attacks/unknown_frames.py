# SPDX-License-Identifier: MIT
"""Frames of unknown types that must be skipped, long and short, which cost no credit.

Bounds: 8 MiB; a call behind as many as may follow each other is served; with more the connection ends (docs/wire.md).
"""

import wire
from program import KIB, MIB

PEAK = 8 * MIB


def attack(target):
    count = target.count(1_000_000, 100_000)
    peer = target.connect()
    peer.send(wire.frame(0x80, call=7) * 500)
    for _ in range(100):
        peer.send(wire.frame(0xFF, bytes(60 * KIB)))
    peer.send(peer.call("echo", b"8 bytes!"))
    peer.wait(lambda: peer.finishes == 1)
    target.expect(peer.statuses == {wire.OK: 1}, f"a call behind unknown frames: {dict(peer.statuses)}, {peer.goaway}")
    for _ in range(count // 1000):
        if not peer.send(wire.frame(0x80, call=7) * 1000):
            break
    peer.wait(lambda: peer.goaway is not None)
    target.expect(peer.goaway is not None and peer.goaway[0] == 8, f"the flood ends with {peer.goaway}")
    target.note("skipped, then ended with goaway 8")
