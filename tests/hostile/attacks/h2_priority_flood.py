# SPDX-License-Identifier: MIT
"""PRIORITY as fast as they are taken.

Bounds: the connection is ended with ENHANCE_YOUR_CALM, within 8 MiB.
"""

import http2
from program import MIB

PEAK = 8 * MIB


def attack(target):
    peer = target.connect_http2()
    for _ in range(target.count(1000, 200)):
        if peer.is_closed or not peer.send(http2.frame(http2.PRIORITY, b"\0\0\0\0\x10", stream=1) * 1000):
            break
    target.expect_goaway(peer, http2.ENHANCE_YOUR_CALM, "the flood goes on")
