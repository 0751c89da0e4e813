# SPDX-License-Identifier: MIT
"""Peers ask for large responses, and read all that comes, but grant no credit.

Bounds: max_memory_bytes, and stall_timeout ends the connections.
"""

import wire
from program import MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_memory_bytes": 64 * MIB, "stall_timeout": 1000}
PEAK = 64 * MIB + 16 * MIB


def attack(target):
    peers = [target.connect() for _ in range(target.count(40, 20))]
    for peer in peers:
        peer.send(b"".join(peer.call("big", b"1048576") for _ in range(100)))
    ended = sum(peer.wait_closed() for peer in peers)
    target.expect(ended == len(peers), f"{ended} of {len(peers)} connections were ended")
    refused = sum(peer.statuses[wire.RESOURCE_EXHAUSTED] for peer in peers)
    target.note(f"{ended} of {len(peers)} disconnected, {refused} calls refused")
