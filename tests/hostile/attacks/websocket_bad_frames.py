# SPDX-License-Identifier: MIT
"""Frames of WebSocket that break RFC 6455, behind calls that are right.

Bounds: each connection is ended with the code that its mistake has, within 16 MiB.
"""

import random

import websocket
from program import MIB

PEAK = 16 * MIB

MISTAKES = (
    (websocket.frame(websocket.TEXT, b"text"), 1003),
    (websocket.frame(websocket.BINARY, b"x", masked=False), 1002),
    (websocket.frame(websocket.BINARY, b"x", reserved=4), 1002),
    (websocket.frame(3, b"x"), 1002),
    (websocket.frame(11, b"x"), 1002),
    (websocket.frame(websocket.CONTINUATION, b"x"), 1002),
    (websocket.frame(websocket.BINARY, last=False) + websocket.frame(websocket.BINARY), 1002),
    (websocket.frame(websocket.PING, last=False), 1002),
    (websocket.frame(websocket.PING, bytes(126)), 1002),
    (websocket.frame(websocket.BINARY, b"x", length_bytes=8), 1002),
    (websocket.frame(websocket.BINARY, b"x", length=1 << 63), 1002),
    (websocket.frame(websocket.CLOSE, b"x"), 1002),
    (websocket.close(1005), 1002),
    (websocket.close(1000, b"\xff"), 1007),
)


def attack(target):
    for number in range(target.count(1000, 100)):
        mistake, code = MISTAKES[number % len(MISTAKES)]
        peer = target.connect_websocket()
        peer.send_message(peer.call("echo", b"8 bytes!"))
        peer.send(mistake)
        peer.wait_closed()
        target.expect(peer.is_closed, f"mistake {number % len(MISTAKES)}: the connection stays")
        target.expect(peer.close_code == code, f"mistake {number % len(MISTAKES)}: {peer.close_code} instead of {code}")
        target.expect(peer.finishes == 1, f"mistake {number % len(MISTAKES)}: the call before it has no response")
        peer.close()
    source = random.Random(6455)
    for _ in range(target.count(200, 20)):
        peer = target.connect_websocket()
        peer.send(source.randbytes(10_000))
        target.expect(peer.wait_closed(), "rubbish is taken for frames")
        peer.close()
