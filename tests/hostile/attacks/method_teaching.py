# SPDX-License-Identifier: MIT
"""Connections that teach as many names of 1 KB as a server remembers, and one more.

Bounds: 2 MiB for each connection; the last name ends it with goaway, code 8.
"""

import wire
from program import MIB

CONNECTIONS = 10
PEAK = CONNECTIONS * 2 * MIB + 8 * MIB


def attack(target):
    peers = [target.connect() for _ in range(CONNECTIONS)]
    for peer in peers:
        limit = int.from_bytes(peer.hello[wire.MAX_METHODS], "little")
        peer.flood(peer.call(f"{number:08}" * 128) for number in range(limit))
        peer.wait(lambda peer=peer, limit=limit: peer.finishes == limit)
        target.expect(peer.statuses == {wire.UNIMPLEMENTED: limit}, f"names up to the limit: {dict(peer.statuses)}")
    for peer in peers:
        peer.send(peer.call("one more"))
        peer.wait_closed()
        code = peer.goaway and peer.goaway[0]
        target.expect(code == wire.RESOURCE_EXHAUSTED, f"goaway {code} for a name over the limit")
    target.note(f"{limit} names for each of {CONNECTIONS} connections")
