# SPDX-License-Identifier: MIT
"""A server that greets each connection with goaway.

Bounds: the channel connects again with pauses, not at once, and calls end with their deadline; 24 MiB.
"""

import wire
from program import MIB

SIDE = "client"
PEAK = 24 * MIB


def attack(target):
    target.begin_calls(target.count(5_000, 500), milliseconds=3000)
    accepted = 0
    for accepted, peer in enumerate(target.accept_for(3, waits=False), 1):
        peer.send(wire.frame(wire.GOAWAY, b"no", call=0, number=0))
    target.close_peers()
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"calls succeeded without a server: {statuses}")
    # All but the second are spaced by the backoff, 100 to 200 ms here.
    target.expect(accepted <= 50, f"{accepted} connections in 3 s: there are no pauses")
    target.note(f"{accepted} connections, statuses {statuses}")
