# SPDX-License-Identifier: MIT
"""A server of gRPC that sends responses byte by byte, or stops within one.

Bounds: a slow response is taken as it comes, one that stops is ended by the deadline of its call alone, and other calls
of the connection wait for neither; 16 MiB.
"""

import time

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 16 * MIB


def attack(target):
    calls = target.count(200, 40)
    target.begin_calls(calls, milliseconds=3000)
    peer = target.accept_calls(calls)
    streams = list(peer.requests)
    head = b"".join(http2.headers(stream, http2.leading()) for stream in streams)
    peer.send(head)
    content = http2.message(b"8 bytes!")
    # The last byte of each message never comes.
    for at in range(len(content) - 1):
        peer.send(b"".join(http2.data(stream, content[at : at + 1], ends=False) for stream in streams))
        time.sleep(0.05)
    target.begin_calls(1, milliseconds=60_000)
    peer.wait(lambda: len(peer.requests) == calls + 1)
    for byte in http2.response(peer.requests[-1], b"8 bytes!"):
        peer.send(bytes([byte]))
        time.sleep(0.002)
    target.expect_report(lambda now: now["status"].get("0") == 1, "a call waits for those that have stopped")
    statuses = target.expect_ended()
    target.expect(statuses == {"0": 1, "4": calls}, f"calls ended otherwise: {statuses}")
    target.expect(not peer.is_closed, "the connection was ended")
