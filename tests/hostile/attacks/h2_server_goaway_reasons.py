# SPDX-License-Identifier: MIT
"""A server of gRPC that refuses thousands of open calls by one GOAWAY with 100 KiB of debug data.

Bounds: every call ends once; the reason is not copied for each of them in full; 64 MiB.
"""

import http2
from program import KIB, MIB

SIDE = "grpc_client"
PEAK = 64 * MIB


def attack(target):
    calls = target.count(5_000, 2000)
    target.begin_calls(calls, milliseconds=60_000)
    peer = target.accept_calls(calls, first=http2.window_update(0, 1 << 30))
    # The calls have begun to be answered, so none of them is repeated.
    peer.send(b"".join(http2.headers(stream, http2.leading()) for stream in peer.requests))
    peer.send(http2.goaway(0, http2.ENHANCE_YOUR_CALM, b"\x01" * (100 * KIB)))
    target.expect_ended(status=14)
