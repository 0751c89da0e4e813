# SPDX-License-Identifier: MIT
"""A server of gRPC that sends more than the windows of streams allow, of which nobody reads any.

Bounds: a stream beyond its window ends with internal, and the connection, whose window unread messages do not hold, goes
on; 40 MiB.
"""

import http2
from program import KIB, MIB

SIDE = "grpc_client"
OPTIONS = {"call_credit_bytes": 256 * KIB, "connection_credit_bytes": MIB}
PEAK = 16 * MIB + 24 * MIB


def attack(target):
    streams = 20
    part = http2.message(bytes(8 * KIB))
    target.begin_streams(streams, milliseconds=60_000)
    peer = target.accept_calls(streams)
    ids = list(peer.requests)
    peer.send(b"".join(http2.headers(id, http2.leading()) for id in ids))
    peer.send(http2.data(ids[0], part, ends=False) * 100)
    target.expect(
        peer.wait(lambda: peer.resets[http2.FLOW_CONTROL_ERROR] == 1), "a stream beyond its window is not reset"
    )
    target.expect(not peer.is_closed, "one stream ends the connection")
    # Together that is more than the window of the connection; then each exceeds its own.
    for count in (15, 20):
        peer.send(b"".join(http2.data(id, part, ends=False) * count for id in ids[1:]))
    target.expect(
        peer.wait(lambda: peer.resets[http2.FLOW_CONTROL_ERROR] == streams), "streams beyond their windows are not reset"
    )
    target.expect(not peer.is_closed, "streams end the connection")
    target.program.ask("release")
    statuses = target.expect_ended()
    target.expect(set(statuses) == {"13"}, f"streams ended otherwise: {statuses}")
