# SPDX-License-Identifier: MIT
"""A server that sends more than the client has granted.

Bounds: the connection is ended with goaway, code 8; 40 MiB.
"""

import wire
from program import KIB, MIB

SIDE = "client"
PEAK = 40 * MIB


def attack(target):
    target.begin_streams(1, milliseconds=60_000)
    peer = target.accept()
    peer.wait(lambda: peer.kinds[wire.CALL] == 1)
    message = wire.message(1, bytes(60 * KIB))
    for _ in range(1000):
        if not peer.send(message):
            break
    target.expect(peer.wait_closed() or peer.sends_failed, "credit was exceeded, and the connection goes on")
    code = peer.goaway and peer.goaway[0]
    target.expect(code in (None, wire.RESOURCE_EXHAUSTED), f"goaway {code} for too many bytes")
    target.program.ask("release")
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"the stream succeeded: {statuses}")
    target.note(f"goaway {code}")
