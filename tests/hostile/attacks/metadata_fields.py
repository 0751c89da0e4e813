# SPDX-License-Identifier: MIT
"""Calls with as many metadata fields as a header block holds, about 2,700.

Bounds: 8 MiB; each call is served.
"""

import wire
from program import MIB

PEAK = 8 * MIB


def attack(target):
    block = wire.metadata("a", b"") * 2700
    peer = target.connect()
    count = target.count(2000, 100)
    peer.flood(peer.call("take", b"x", block=block) for _ in range(count))
    peer.wait(lambda: peer.finishes == count)
    target.expect(peer.statuses == {wire.OK: count}, f"calls ended otherwise: {dict(peer.statuses)}")
    target.note(f"{count} calls with 2700 fields each")
