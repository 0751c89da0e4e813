# SPDX-License-Identifier: MIT
"""A server of gRPC that sends frames without a purpose as fast as they are taken.

Bounds: the connection is ended with ENHANCE_YOUR_CALM, its calls end once, and no more than 16 MiB are taken.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 16 * MIB
FLOODS = {
    "PING": lambda open, over: http2.frame(http2.PING, b"8 bytes!"),
    "answers to no PING": lambda open, over: http2.frame(http2.PING, b"8 bytes!", flags=http2.ACK),
    "SETTINGS": lambda open, over: http2.settings(),
    "SETTINGS that change": lambda open, over: http2.settings(_1=0, _3=1, _4=0) + http2.settings(_1=4096, _4=65535),
    "answers to no SETTINGS": lambda open, over: http2.frame(http2.SETTINGS, flags=http2.ACK),
    "WINDOW_UPDATE": lambda open, over: http2.window_update(0, 1),
    "WINDOW_UPDATE of a stream": lambda open, over: http2.window_update(open, 1),
    "WINDOW_UPDATE of a call that is over": lambda open, over: http2.window_update(over, 1),
    "PRIORITY": lambda open, over: http2.frame(http2.PRIORITY, bytes(5), stream=open),
    "unknown frames": lambda open, over: http2.frame(99, b"x", stream=open),
    "RST_STREAM of a call that is over": lambda open, over: http2.reset(over),
    "HEADERS of a call that is over": lambda open, over: http2.headers(over, b"\x88"),
    "trailers of a call that is over": lambda open, over: http2.headers(over, b"", ends=True),
    "empty DATA of a call that is over": lambda open, over: http2.data(over, b"", ends=False),
    "interim responses": lambda open, over: http2.headers(open, http2.fields((":status", "103"))),
    "GOAWAY": lambda open, over: http2.goaway(open),
    "a late message between PING": lambda open, over: http2.frame(http2.PING, b"8 bytes!") * 8
    + http2.headers(over, b"\x88"),
}


def attack(target):
    for name, frames in FLOODS.items():
        target.begin_calls(2, milliseconds=60_000)
        peer = target.accept_calls(2)
        over, still_open = peer.requests[:2]
        peer.send(http2.response(over, b"x"))
        flood = frames(still_open, over)
        for _ in range(target.count(1000, 100)):
            if peer.is_closed or not peer.send(flood * 1000):
                break
        target.expect_goaway(peer, http2.ENHANCE_YOUR_CALM, f"{name}: the flood goes on")
        peer.close()
        target.expect_ended()
    target.note(f"{len(FLOODS)} kinds")
