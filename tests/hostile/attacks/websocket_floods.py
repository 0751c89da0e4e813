# SPDX-License-Identifier: MIT
"""Pings, pongs and empty fragments as fast as they are taken.

Bounds: the connection is ended with code 1008, within 8 MiB.
"""

import websocket
from program import MIB

PEAK = 8 * MIB


def attack(target):
    floods = (
        websocket.frame(websocket.PING, bytes(125)),
        websocket.frame(websocket.PONG),
        websocket.frame(websocket.CONTINUATION, last=False),
    )
    for number, flood in enumerate(floods):
        peer = target.connect_websocket()
        peer.send(websocket.frame(websocket.BINARY, last=False))
        for _ in range(target.count(1000, 200)):
            if peer.is_closed or not peer.send(flood * 1000):
                break
        peer.wait_closed()
        target.expect(peer.close_code == 1008, f"flood {number} goes on: {peer.close_code}")
