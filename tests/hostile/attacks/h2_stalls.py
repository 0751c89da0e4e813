# SPDX-License-Identifier: MIT
"""Peers stop amid the preface, a header block, a prefix and a message.

Bounds: handshake_timeout or stall_timeout ends each connection, within 8 MiB.
"""

import http2
from program import MIB

OPTIONS = {"handshake_timeout": 1000, "stall_timeout": 1000}
PEAK = 8 * MIB


def attack(target):
    start, greeting = http2.headers(1, http2.request("take")), http2.PREFACE + http2.settings()
    starts = (
        http2.PREFACE[:12],
        http2.PREFACE,
        greeting + start[:20],
        greeting + http2.headers(1, http2.request("take"), is_whole=False),
        greeting + start + http2.data(1, http2.message(b"")[:3], ends=False),
        greeting + start + http2.data(1, http2.message(b"x", length=100), ends=False),
    )
    for i, begun in enumerate(starts * target.count(20, 2)):
        peer = target.connect_http2(greets=False)
        peer.send(begun)
        peer.step = i % len(starts)
    ended = [peer.step for peer in target.peers if not peer.wait_closed(5)]
    target.expect(not ended, f"connections go on that stalled at steps {sorted(set(ended))}")
