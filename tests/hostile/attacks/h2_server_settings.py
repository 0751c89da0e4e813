# SPDX-License-Identifier: MIT
"""A server of gRPC that changes its settings in the midst of calls: windows that become negative, no streams, no table.

Bounds: each call ends once and well, with its whole request sent within the windows; 32 MiB.
"""

import http2
from program import KIB, MIB

SIDE = "grpc_client"
PEAK = 32 * MIB


def attack(target):
    calls = target.count(100, 30)
    target.begin_calls(calls, size=100 * KIB, milliseconds=60_000)
    peer = target.accept(greets=False)
    peer.send(http2.settings(_3=10, _4=1000))
    begun = 0
    for round in range(calls // 10):
        peer.wait(lambda: peer.kinds[http2.HEADERS] >= begun + 10)
        begun += 10
        # Of what has been sent, the windows become negative; none may be sent until they are positive again.
        peer.send(http2.settings(_3=0, _4=0, _1=0))
        peer.wait(lambda round=round: peer.acks[http2.SETTINGS] >= 4 * round + 2)
        sent = peer.message_bytes
        peer.send(http2.window_update(0, 2 * MIB) + http2.settings(_4=500, _1=100_000, _6=1000))
        peer.wait(lambda round=round: peer.acks[http2.SETTINGS] >= 4 * round + 3)
        target.expect(peer.message_bytes == sent, f"{peer.message_bytes - sent} bytes were sent beyond the windows")
        peer.send(http2.settings(_4=200 * KIB, _5=(1 << 24) - 1))
        peer.wait(lambda begun=begun: len(peer.requests) >= begun)
        target.expect(peer.kinds[http2.HEADERS] == begun, "more streams were opened than were permitted")
        peer.send(b"".join(http2.response(stream, b"x") for stream in peer.requests[begun - 10 : begun]))
        target.expect_report(lambda now, begun=begun: now["ended"] >= begun, "calls do not end")
        peer.send(http2.settings(_3=10, _4=1000))
    target.expect_ended(status=0)
