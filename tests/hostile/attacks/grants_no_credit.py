# SPDX-License-Identifier: MIT
"""Peers ask for large responses, and read all that comes, but grant no credit.

Bounds: max_memory_bytes. stall_timeout ends the connections for which more than max_unsent_bytes wait, which two of the
responses are, and their address is served again.
"""

import time

import wire
from program import MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_memory_bytes": 64 * MIB, "stall_timeout": 1000}
PEAK = 64 * MIB + 16 * MIB
CALLS = 100


def attack(target):
    peers = [target.connect() for _ in range(target.count(40, 20))]
    for peer in peers:
        peer.send(b"".join(peer.call("big", b"1048576") for _ in range(CALLS)))
    for peer in peers:
        peer.wait(lambda: peer.is_closed or peer.finishes >= CALLS - 1)
        waiting = 0 if peer.is_closed else CALLS - peer.finishes
        target.expect(waiting <= 1, f"{waiting} responses wait for a peer that grants nothing")
    ended = sum(peer.is_closed for peer in peers)
    refused = sum(peer.statuses[wire.RESOURCE_EXHAUSTED] for peer in peers)
    target.expect(ended > 0, "no connection was ended")
    target.expect(wait_until_served(target), "the address of the attackers gets no calls")
    target.note(f"{ended} of {len(peers)} disconnected, {refused} calls refused")


def wait_until_served(target):
    end = time.monotonic() + target.patience
    while time.monotonic() < end:
        peer = target.connect()
        peer.send(peer.call("echo", b"8 bytes!"))
        peer.wait(lambda: peer.finishes == 1)
        if peer.statuses[wire.OK] == 1:
            return True
        time.sleep(0.05)
    return False
