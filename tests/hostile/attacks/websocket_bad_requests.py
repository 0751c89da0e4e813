# SPDX-License-Identifier: MIT
"""Requests for a WebSocket that are none, that pages of other origins make, or that never end.

Bounds: each gets its refusal or the end of the connection, within 16 MiB.
"""

import silence
import websocket
from program import MIB

OPTIONS = {"handshake_timeout": 1500}
PEAK = 16 * MIB

REQUESTS = (
    (websocket.request("Origin: http://evil.example\r\n"), 403),
    (websocket.request("Origin: null\r\n"), 403),
    (websocket.request(key="short"), 400),
    (websocket.request(version="8"), 426),
    (websocket.request(protocol="chat"), 400),
    (websocket.request("Content-Length: 10\r\n"), 400),
    (websocket.request("Content-Length: 1\r\nTransfer-Encoding: chunked\r\n"), 400),
    (websocket.request("Host: other\r\n"), 400),
    (websocket.request("Folded: a\r\n b\r\n"), 400),
    (websocket.request("Spaced : a\r\n"), 400),
    (websocket.request().replace(b"\r\n", b"\n"), 400),
    (websocket.request(path="/" + "a" * 20_000), 414),
    (websocket.request("Cookie: " + "a" * 20_000 + "\r\n"), 431),
    (websocket.request("A: b\r\n" * 1000), 431),
)


def attack(target):
    for number in range(target.count(1000, 100)):
        request, status = REQUESTS[number % len(REQUESTS)]
        peer = target.connect_websocket(greets=False)
        peer.send(request)
        peer.wait_closed()
        target.expect(peer.is_closed, f"request {number % len(REQUESTS)}: the connection stays")
        target.expect(peer.status == status, f"request {number % len(REQUESTS)}: {peer.status} instead of {status}")
        peer.close()
    peers = []
    for number in range(target.count(500, 100)):
        peer = target.connect_websocket(greets=False)
        peer.send(websocket.request("A: b\r\n" * (number % 100))[:-2])
        peers.append(peer)
    silence.hold(target, peers)
