# SPDX-License-Identifier: MIT
"""A client that sends goaway again and again, and calls after it.

Bounds: 8 MiB; nothing is remembered about them.
"""

import wire
from program import MIB

PEAK = 8 * MIB


def attack(target):
    count = target.count(500_000, 50_000)
    peer = target.connect()
    peer.send(peer.call("echo", b"8 bytes!"))
    sent = 0
    for _ in range(count // 1000):
        if not peer.send(wire.frame(wire.GOAWAY, b"reason " * 100) * 1000):
            break
        sent += 1000
    peer.send(b"".join(peer.call("wait") for _ in range(1000)) + wire.ping())
    peer.wait(lambda: peer.is_closed or peer.kinds[wire.PONG] == 1)
    target.expect(peer.finished == {} and peer.statuses[wire.OK] == 1, f"the call before: {dict(peer.statuses)}")
    running = target.program.report()["running_handlers"]
    target.note(f"{sent} sent, {'disconnected' if peer.is_closed else f'{running} of 1000 later calls run'}")
