# SPDX-License-Identifier: MIT
"""Calls that do not end, each with 15 KB of metadata.

Bounds: max_unread_bytes of each of two connections counts metadata; further calls are refused. What lies between the
pieces of memory that a thread keeps for reuse stays resident.
"""

import wire
from program import KIB, MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_unread_bytes": 8 * MIB}
PEAK = 2 * 8 * MIB + 16 * MIB
KEPT = 24 * MIB


def attack(target):
    for shape in (wire.metadata("a", bytes(15 * KIB)), wire.metadata("a", b"") * 2500):
        peer = target.connect()
        count = target.count(10_000, 1000)
        peer.patience = 5.0
        peer.flood(peer.call("wait", b"x", block=shape) for _ in range(count))
        peer.send(wire.ping())
        peer.wait(lambda peer=peer: peer.kinds[wire.PONG] == 1)
        target.note(f"{peer.statuses[wire.RESOURCE_EXHAUSTED]} of {count} refused")
