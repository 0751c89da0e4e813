# SPDX-License-Identifier: MIT
"""One address opens more calls than it may, over many connections.

Bounds: max_concurrent_calls_per_peer; a call of another address runs meanwhile.
"""

import wire
from program import KIB, MIB
from target import OTHER

LIMIT = 1000
OPTIONS = {"max_concurrent_calls_per_peer": LIMIT, "max_concurrent_calls": LIMIT + 10}
PEAK = LIMIT * 8 * KIB + 8 * MIB


def attack(target):
    each = 200
    peers = []
    for _ in range(target.count(50, 10)):
        peers.append(target.connect(waits=False))
        peers[-1].flood(peers[-1].call("wait") for _ in range(each))
    for peer in peers:
        peer.send(wire.ping())
        peer.wait(lambda peer=peer: peer.kinds[wire.PONG] == 1)
    running = target.program.report()["running_handlers"]
    target.expect(running <= LIMIT, f"{running} handlers run, limit {LIMIT}")

    other = target.connect(address=OTHER)
    other.send(other.call("wait") + other.call("echo", b"8 bytes!"))
    other.wait(lambda: other.finishes >= 1)
    target.expect(other.statuses == {wire.OK: 1}, f"calls of another address: {dict(other.statuses)}")
    target.note(f"{running} of {each * len(peers)} run")
