# SPDX-License-Identifier: MIT
"""Idle connections whose clients ping a few times, as if to keep them alive.

Bounds: each is ended with ENHANCE_YOUR_CALM and gRPC's text at the fourth ping, within 16 MiB.
"""

import http2
from program import MIB

PEAK = 16 * MIB


def attack(target):
    for _ in range(target.count(500, 50)):
        peer = target.connect_http2()
        peer.send(http2.frame(http2.PING, b"8 bytes!") * 4)
    for peer in target.peers:
        target.expect_goaway(peer, http2.ENHANCE_YOUR_CALM, "the pings go on")
        target.expect(peer.acks[http2.PING] == 3, f"{peer.acks[http2.PING]} pings were answered")
        target.expect(peer.goaway is not None and peer.goaway[1] == "too_many_pings", f"{peer.goaway}")
    target.note(f"{len(target.peers)} connections")
