# SPDX-License-Identifier: MIT
"""Peers send more than they were granted, to a stream that nobody reads.

Bounds: each is ended with goaway, code 8, and never holds more than the call's credit of 1 MiB.
"""

import wire
from program import KIB, MIB

PEAK = MIB + 16 * MIB


def attack(target):
    for _ in range(target.count(20, 5)):
        peer = target.connect()
        peer.send(peer.call("unread", flags=wire.HAS_MESSAGE))
        chunk = wire.message(1, bytes(60 * KIB))
        for _ in range(1000):
            if not peer.send(chunk):
                break
        peer.wait_closed()
        # What was on its way when the server closed may have destroyed the goaway.
        code = peer.goaway and peer.goaway[0]
        target.expect(peer.is_closed or peer.sends_failed, "credit was exceeded, and the connection goes on")
        target.expect(code in (None, wire.RESOURCE_EXHAUSTED), f"goaway {code} for too many bytes")
    target.note("disconnected")
