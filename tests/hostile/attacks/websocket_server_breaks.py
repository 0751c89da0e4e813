# SPDX-License-Identifier: MIT
"""Servers that refuse the WebSocket, or break its rules.

Bounds: each call ends once, with its deadline at the latest; 16 MiB.
"""

import websocket
from program import MIB

SIDE = "websocket_client"
OPTIONS = {"handshake_timeout": 400}
PEAK = 16 * MIB


def attack(target):
    def mask(peer):
        peer.greet()
        peer.send(websocket.frame(websocket.BINARY, b"x"))

    def text(peer):
        peer.greet()
        peer.send(websocket.frame(websocket.TEXT, b"x", masked=False))

    def wrong_key(peer):
        peer.wait(lambda: peer.head is not None)
        peer.send(websocket.response_to(b"GET\r\nSec-WebSocket-Key: other"))

    def endless_head(peer):
        peer.send(b"HTTP/1.1 101 Switching Protocols\r\n" + b"A: b\r\n" * 100_000)

    servers = (
        lambda peer: peer.send(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"),
        lambda peer: peer.send(bytes(1000)),
        lambda peer: None,
        wrong_key,
        endless_head,
        mask,
        text,
    )
    for number, serve in enumerate(servers):
        target.begin_calls(1, milliseconds=800)
        peer = target.accept(greets=False, waits=False)
        serve(peer)
        target.expect(peer.wait_closed(20), f"the client keeps server number {number}")
        peer.close()
        # Until the call has ended the client tries again.
        target.drain(lambda number=number: target.program.report()["ended"] == number + 1)
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"calls succeeded: {statuses}")
    target.note(f"statuses {statuses}")
