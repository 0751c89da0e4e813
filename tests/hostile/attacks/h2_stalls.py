# SPDX-License-Identifier: MIT
"""Peers stop amid the preface, a header block, a prefix and a message.

Bounds: handshake_timeout or stall_timeout ends each connection, or the unary call whose request is not complete (the
connection stays for other calls), within 8 MiB.
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
    left, calls = set(), 0
    for peer in target.peers:
        has_call = peer.step >= len(starts) - 2
        if not peer.wait(lambda peer=peer, has_call=has_call: peer.is_closed or has_call and peer.answered > 0, 10):
            left.add(peer.step)
        calls += not peer.is_closed
    target.expect(not left, f"what stalled at steps {sorted(left)} goes on")
    target.expect_report(lambda now: now["open_calls"] == 0, "calls go on")
    target.note(f"{len(target.peers) - calls} disconnected, {calls} calls ended")
