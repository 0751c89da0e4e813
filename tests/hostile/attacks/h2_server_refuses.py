# SPDX-License-Identifier: MIT
"""A server of gRPC that refuses each call with REFUSED_STREAM, as if it had not looked at it.

Bounds: the calls are repeated within their retry budget only, with pauses, and end once; 24 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 24 * MIB


def attack(target):
    calls = target.count(5_000, 1000)
    target.begin_calls(calls, milliseconds=10_000)
    peer = target.accept(first=http2.window_update(0, 1 << 30))
    done = peer.serve_requests(
        lambda stream: http2.reset(stream, http2.REFUSED_STREAM), lambda: target.program.report()["ended"] == calls
    )
    target.expect(done and not peer.is_closed, f"the connection was ended: {peer.goaway}")
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"calls succeeded: {statuses}")
    # The default of max_retries, and of the budget of a channel.
    seen = len(peer.requests)
    target.expect(seen <= min(4 * calls, calls + 1100), f"the server saw {seen} calls")
    target.note(f"{seen} attempts, statuses {statuses}")
