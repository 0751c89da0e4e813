# SPDX-License-Identifier: MIT
"""Cancel frames for ids that were never opened, which cost no credit.

Bounds: nothing is remembered about them.
"""

import wire
from program import MIB

PEAK = 8 * MIB


def attack(target):
    count = target.count(2_000_000, 100_000)
    peer = target.connect()
    peer.send(peer.call("echo"))
    block = 10_000
    for at in range(0, count, block):
        frames = b"".join(wire.cancel(1 + (at + i) * 7919 % 0x7FFFFFFF) for i in range(block))
        if not peer.send(frames):
            break
    peer.wait(lambda: peer.finishes == 1)
    target.note("disconnected" if peer.is_closed or peer.sends_failed else f"{count} ignored")
