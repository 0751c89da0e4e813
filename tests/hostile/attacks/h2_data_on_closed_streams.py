# SPDX-License-Identifier: MIT
"""DATA, a byte at a time, on streams that have ended, and on streams that were refused.

Bounds: the first of each is answered with a reset at most, nothing is kept, and none runs, within 8 MiB.
"""

import http2
from program import MIB

PEAK = 8 * MIB


def attack(target):
    peer = target.connect_http2()
    peer.send(b"".join(http2.call(2 * i + 1, "echo") for i in range(100)))
    peer.wait(lambda: peer.responses == 100)
    started = target.program.report()["started_handlers"]
    part = b"".join(http2.data(2 * i + 1, b"x", ends=False) for i in range(100))
    count = target.count(2000, 100)
    for _ in range(count):
        if peer.is_closed or not peer.send(part):
            break
    refused = http2.headers(201, http2.request("echo", ("grpc-timeout", "soon"))) + http2.data(201, bytes(1 << 20))
    peer.send(refused)
    peer.wait(lambda: peer.responses == 101)
    target.expect(peer.responses == 101, "the connection does not go on")
    target.expect(target.program.report()["started_handlers"] == started, "a handler ran")
    target.note(f"{100 * count} frames, {sum(peer.resets.values())} resets")
