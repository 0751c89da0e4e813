# SPDX-License-Identifier: MIT
"""SETTINGS move the window of 1000 waiting streams up and down.

Bounds: the connection is ended with ENHANCE_YOUR_CALM, within 16 MiB.
"""

import http2
from program import MIB

PEAK = 16 * MIB


def attack(target):
    peer = target.connect_http2()
    peer.send(b"".join(http2.call(2 * call + 1, "wait") for call in range(1000)))
    changes = http2.initial_window(0) + http2.initial_window((1 << 31) - 1)
    for _ in range(target.count(100, 50)):
        if peer.is_closed or not peer.send(changes * 100):
            break
    target.expect_goaway(peer, http2.ENHANCE_YOUR_CALM, "the changes go on")
