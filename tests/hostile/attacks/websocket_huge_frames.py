# SPDX-License-Identifier: MIT
"""Frames that announce 2^62 bytes, and a call whose bytes come in a frame each.

Bounds: memory follows what arrives: 16 KiB for each connection; the call gets its response.
"""

import websocket
import wire
from program import KIB, MIB

PEAK = 500 * 16 * KIB + 4 * MIB


def attack(target):
    connections = target.count(500, 100)
    for _ in range(connections):
        peer = target.connect_websocket()
        start = wire.first_chunk(1, "take", b"x", 4 * MIB)
        content = MIB.to_bytes(4, "little") + start[4:]
        peer.send(websocket.frame(websocket.BINARY, content, length=1 << 62))
    peer = target.connect_websocket()
    call = peer.call("echo", bytes(1000))
    peer.send(websocket.frame(websocket.BINARY, call[:1], last=False))
    for byte in call[1:]:
        peer.send(websocket.frame(websocket.CONTINUATION, bytes((byte,)), last=False))
    target.expect(peer.wait(lambda: peer.finishes == 1), "a call that comes byte by byte has no response")
    target.wait_for_echoes(20)
    target.note(f"{connections} connections")
