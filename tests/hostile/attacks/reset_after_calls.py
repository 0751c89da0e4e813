# SPDX-License-Identifier: MIT
"""Connections that begin calls of every kind, and are reset at once.

Bounds: 40 MiB, 40 KiB for a connection with 60 calls of every kind; handlers end with their connection.
"""

import wire
from program import KIB, MIB

PEAK = 40 * MIB


def attack(target):
    connections = target.count(1000, 100)
    for _ in range(connections):
        peer = target.connect(waits=False)
        frames = b""
        for _ in range(10):
            frames += peer.call("echo", b"8 bytes!") + peer.call("wait") + peer.call("big", b"100000")
            frames += peer.call("source", b"1000 1000")
            frames += peer.call("sink", b"x", flags=wire.HAS_MESSAGE) + peer.call("chat", b"x", flags=wire.HAS_MESSAGE)
            frames += wire.message(peer.last_id, bytes(KIB))
        peer.send(frames)
        peer.reset()
        target.peers.clear()
    target.expect_report(lambda now: now["running_handlers"] == 0, "handlers run for connections that are gone")
    target.note(f"{connections} connections with 60 calls each")
