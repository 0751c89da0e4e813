# SPDX-License-Identifier: MIT
"""Requests that are refused, never end, and leave their answers without a window.

Bounds: 1024 at a time are answered, the others reset; none stays, and no handler runs, within 32 MiB.
"""

import http2
from program import MIB

PEAK = 32 * MIB
KEPT_STREAMS = 1024


def attack(target):
    block = http2.fields((":method", "GET"), (":scheme", "http"), (":path", "/"), (":authority", "a"))
    peers = [target.connect_http2(first=http2.initial_window(0)) for _ in range(target.count(10, 2))]
    streams = 10_000
    for peer in peers:
        peer.send(b"".join(http2.headers(2 * i + 1, block) for i in range(streams)))
    for peer in peers:
        peer.wait(lambda peer=peer: peer.kinds[http2.HEADERS] + peer.kinds[http2.RST_STREAM] >= streams, 20)
        target.expect(peer.resets[http2.REFUSED_STREAM] == streams - KEPT_STREAMS, f"{peer.resets} of {streams}")
    for peer in peers:
        peer.wait(lambda peer=peer: peer.resets[http2.CANCEL] == KEPT_STREAMS, 20)
        target.expect(peer.resets[http2.CANCEL] == KEPT_STREAMS, f"{peer.resets}: refused requests stay")
    report = target.program.report()
    target.expect(report["started_handlers"] == 0, "a handler ran")
    target.note(f"{len(peers)} connections of {streams} requests")
