# SPDX-License-Identifier: MIT
"""Peers leave a response waiting for their credit, and send as many requests as the server's credit lets them.

Bounds: max_memory_bytes. New calls wait for such a peer, and are refused once memory is short.
"""

import wire
from program import MIB

OPTIONS = {
    "max_message_bytes": 4 * MIB, "max_memory_bytes": 64 * MIB, "max_unsent_bytes": 4096, "stall_timeout": 60_000,
}  # fmt: skip
PEAK = 64 * MIB + 16 * MIB
REQUEST = bytes(60_000)


def attack(target):
    peers = [target.connect() for _ in range(target.count(60, 20))]
    for peer in peers:
        peer.send(peer.call("big", b"1048576"))
        peer.wait(lambda peer=peer: peer.message_bytes > 0)
    sent = 0
    for peer in peers:
        for _ in range(250):
            call = peer.call("echo", REQUEST)
            if not peer.has_credit(peer.costs(call)) or not peer.send(call):
                break
            peer.take_credit(peer.costs(call))
            sent += 1
    for peer in peers:
        peer.wait(lambda peer=peer: peer.statuses[wire.RESOURCE_EXHAUSTED] > 0, 1)
    refused = sum(peer.statuses[wire.RESOURCE_EXHAUSTED] for peer in peers)
    target.expect(refused > 0, f"none of {sent} requests was refused")
    target.note(f"{refused} of {sent} requests refused")
