# SPDX-License-Identifier: MIT
"""Streams declare the longest message, and send none of it.

Bounds: memory follows what arrives: 8 KiB for each call.
"""

import http2
from program import KIB, MIB

OPTIONS = {"max_message_bytes": 64 * MIB}
CALLS = 100
PEAK = 100 * CALLS * 8 * KIB


def attack(target):
    connections = target.count(100, 20)
    for _ in range(connections):
        peer = target.connect_http2()
        start = http2.message(b"", length=64 * MIB)
        ids = range(1, 2 * CALLS, 2)
        peer.send(b"".join(http2.headers(id, http2.request("take")) + http2.data(id, start, ends=False) for id in ids))
        peer.send(http2.frame(http2.PING, b"8 bytes!"))
        target.expect(peer.wait(lambda peer=peer: peer.acks[http2.PING] == 1), f"no answer to PING, {peer.goaway}")
    target.note(f"{connections * CALLS} calls")
