# SPDX-License-Identifier: MIT
"""A server of gRPC whose SETTINGS move the window of 1000 waiting requests up and down.

Bounds: the connection is ended with ENHANCE_YOUR_CALM, and the calls end once; 32 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 32 * MIB


def attack(target):
    target.begin_calls(1000, size=1000, milliseconds=60_000)
    peer = target.accept(first=http2.initial_window(0))
    peer.wait(lambda: peer.kinds[http2.HEADERS] == 1000)
    changes = http2.initial_window(0) + http2.initial_window(1)
    for _ in range(target.count(100, 50)):
        if peer.is_closed or not peer.send(changes * 100):
            break
    target.expect_goaway(peer, http2.ENHANCE_YOUR_CALM, "the changes go on")
    peer.close()
    target.expect_ended()
