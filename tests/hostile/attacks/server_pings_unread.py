# SPDX-License-Identifier: MIT
"""A server that pings without reading the pongs.

Bounds: 16 MiB; the client stops reading, or ends the connection.
"""

import wire
from program import MIB

SIDE = "client"
PEAK = 16 * MIB


def attack(target):
    target.begin_calls(1, milliseconds=4000)
    peer = target.accept()
    count = target.count(2_000_000, 300_000)
    taken = peer.push(wire.ping() * count, stall=0.5) // 24
    target.wait_for_echoes(20)
    target.expect_ended()
    target.note(f"took {taken} of {count} pings" + (", disconnected" if peer.sends_failed else ""))
