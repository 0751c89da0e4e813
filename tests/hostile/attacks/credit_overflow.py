# SPDX-License-Identifier: MIT
"""Credit that adds up to more than 2^31 - 1, for the connection and for a call.

Bounds: each such connection is ended with goaway, code 8.
"""

import wire
from program import MIB

PEAK = 8 * MIB


def attack(target):
    for call in (0, 1):
        for _ in range(target.count(100, 10)):
            peer = target.connect()
            peer.send(peer.call("wait") + wire.credit(call, (1 << 31) - 1) * 3)
            peer.wait_closed()
            code = peer.goaway and peer.goaway[0]
            target.expect(code == wire.RESOURCE_EXHAUSTED, f"goaway {code} for an overflow of credit")
    target.note("goaway 8")
