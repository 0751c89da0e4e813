# SPDX-License-Identifier: MIT
"""Further messages to unary methods, after the first one and after `end`.

Bounds: 8 MiB; each call ends with an error and the connection goes on.
"""

import wire
from program import MIB

PEAK = 8 * MIB


def attack(target):
    count = target.count(20_000, 1_000)
    peer = target.connect()
    for _ in range(count):
        frame = peer.call("wait", b"x", flags=wire.HAS_MESSAGE)
        if not peer.flood([frame + wire.message(peer.last_id, b"x") * 2]):
            break
    for _ in range(count):
        frame = peer.call("wait", b"x")
        if not peer.flood([frame + wire.message(peer.last_id, b"x")]):
            break
    peer.wait(lambda: peer.finishes == 2 * count)
    target.expect(peer.finishes == 2 * count, f"{peer.finishes} of {2 * count} calls ended, {peer.goaway}")
    target.expect(peer.statuses[wire.OK] == 0, "a call with two messages succeeded")
    target.note(", ".join(f"{number} with status {status}" for status, number in sorted(peer.statuses.items())))
