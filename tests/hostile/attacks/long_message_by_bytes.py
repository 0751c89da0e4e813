# SPDX-License-Identifier: MIT
"""A long message in chunks of one byte.

Bounds: 4 MiB; the message is received whole.
"""

import wire
from program import KIB, MIB

PEAK = 4 * MIB


def attack(target):
    size = target.count(MIB, 64 * KIB)
    peer = target.connect()
    middle = wire.message(1, b"x", flags=wire.HAS_MESSAGE | wire.MORE, codec=0)
    peer.flood([wire.first_chunk(1, "take", b"x", size)])
    peer.flood([middle * 1000] * ((size - 2) // 1000) + [middle * ((size - 2) % 1000)])
    peer.flood([wire.message(1, b"x", flags=wire.HAS_MESSAGE | wire.END, codec=0)])
    peer.wait(lambda: peer.finishes == 1)
    target.expect(peer.statuses == {wire.OK: 1}, f"the message was not received: {dict(peer.statuses)}")
    received = target.program.report()["message_bytes"]
    target.expect(received == size, f"{received} of {size} bytes were received")
    target.note(f"{size} frames for {size} bytes")
