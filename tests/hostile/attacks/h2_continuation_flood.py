# SPDX-License-Identifier: MIT
"""Header blocks that do not end: large and tiny CONTINUATION (CVE-2024-27316).

Bounds: each connection is ended with ENHANCE_YOUR_CALM, within 8 MiB.
"""

import http2
from program import MIB

PEAK = 8 * MIB


def attack(target):
    for size in (0, 1, 1024, http2.MAX_FRAME):
        peer = target.connect_http2(first=http2.headers(1, http2.request("echo"), is_whole=False))
        more = http2.frame(http2.CONTINUATION, bytes(size), stream=1)
        for _ in range(target.count(10_000, 1000)):
            if peer.is_closed or not peer.send(more):
                break
        target.expect_goaway(peer, http2.ENHANCE_YOUR_CALM, f"CONTINUATION of {size} bytes goes on")
