# SPDX-License-Identifier: MIT
"""A server of gRPC that opens no window, for thousands of calls that end with their deadlines.

Bounds: nothing is kept of calls that have ended, however many there are on the connection; 24 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 24 * MIB
KEPT = 8 * MIB


def attack(target):
    calls, rounds = 1000, target.count(100, 10)
    peer = None
    for round in range(1, rounds + 1):
        target.begin_calls(calls, size=1000, milliseconds=100)
        if peer is None:
            peer = target.accept(first=http2.initial_window(0))
        peer.serve_requests(lambda stream: b"", lambda round=round: target.program.report()["ended"] == calls * round)
    statuses = target.expect_ended(status=4)
    target.expect(not peer.is_closed, "the connection was ended")
    target.note(f"statuses {statuses}")
