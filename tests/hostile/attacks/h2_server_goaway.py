# SPDX-License-Identifier: MIT
"""A server of gRPC that greets each connection with GOAWAY, or answers its calls with it.

Bounds: the channel connects again with pauses, not at once; a call that has not run is repeated until its deadline, and
ends once; 24 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 24 * MIB


def attack(target):
    calls = target.count(5_000, 500)
    for behind_calls in (False, True):
        target.begin_calls(calls, milliseconds=3000)
        accepted = 0
        for accepted, peer in enumerate(target.accept_for(3, waits=False), 1):
            if behind_calls:
                peer.wait(lambda peer=peer: len(peer.requests) >= calls, 0.5)
            peer.send(http2.goaway(0))
        target.close_peers()
        statuses = target.expect_ended()
        target.expect("0" not in statuses, f"calls succeeded without a server: {statuses}")
        # All but the second are spaced by the backoff, 100 to 200 ms here.
        target.expect(accepted <= 50, f"{accepted} connections in 3 s: there are no pauses")
        target.note(f"{accepted} connections, statuses {statuses}")
