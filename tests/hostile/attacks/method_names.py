# SPDX-License-Identifier: MIT
"""Calls of ever new methods by name, which teach nothing.

Bounds: 8 MiB; the names are not remembered.
"""

import wire
from program import MIB

PEAK = 8 * MIB


def attack(target):
    count = target.count(200_000, 20_000)
    peer = target.connect()
    peer.flood(
        b"".join(wire.call(at + i + 1, f"{at + i:08}" * 60) for i in range(20)) for at in range(0, count, 20)
    )  # fmt: skip
    peer.wait(lambda: peer.finishes == count)
    target.expect(peer.statuses == {wire.UNIMPLEMENTED: count}, f"calls ended otherwise: {dict(peer.statuses)}")
    target.note(f"{count} names refused")
