# SPDX-License-Identifier: MIT
"""One address opens more connections than it may.

Bounds: max_connections_per_peer; connections of another address are accepted meanwhile.
"""

import wire
from program import MIB
from target import OTHER

OPTIONS = {"max_connections_per_peer": 100}
PEAK = 100 * 32 * 1024 + 4 * MIB


def attack(target):
    count = target.count(2000, 300)
    peers = []
    for _ in range(count):
        peers.append(target.connect(waits=False))
    greeted = sum(peer.wait(lambda peer=peer: peer.hello is not None) for peer in peers)
    target.expect(greeted <= 100, f"{greeted} connections were accepted, limit 100")
    target.expect(greeted > 0, "no connection was accepted")

    other = target.connect(address=OTHER)
    other.send(other.call("echo", b"8 bytes!"))
    other.wait(lambda: other.finishes == 1)
    target.expect(other.statuses == {wire.OK: 1}, "a connection of another address was not served")
    target.note(f"{greeted} of {count} accepted")
