# SPDX-License-Identifier: MIT
"""A server that greets each connection with goaway.

Bounds: calls are repeated with pauses, not at once, and end with their deadline; 24 MiB.
"""

import time

import wire
from program import MIB

SIDE = "client"
PEAK = 24 * MIB


def attack(target):
    calls = target.count(5_000, 500)
    target.begin_calls(calls, milliseconds=3000)
    accepted, end = 0, time.monotonic() + 3
    target.listener.settimeout(0.2)
    while time.monotonic() < end:
        try:
            peer = target.accept(waits=False)
        except TimeoutError:
            continue
        peer.send(wire.frame(wire.GOAWAY, b"no", call=0, number=0))
        accepted += 1
    target.close_peers()
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"calls succeeded without a server: {statuses}")
    target.expect(accepted <= 500, f"{accepted} connections in 3 s: there are no pauses")
    target.note(f"{accepted} connections, statuses {statuses}")
