# SPDX-License-Identifier: MIT
"""Messages and credit for calls that have ended, which a peer may still send.

Bounds: 8 MiB; they are discarded and the connection goes on.
"""

import wire
from program import KIB, MIB

PEAK = 8 * MIB


def attack(target):
    peer = target.connect()
    peer.send(peer.call("nobody/knows", flags=wire.HAS_MESSAGE))
    peer.wait(lambda: peer.finishes == 1)
    count = target.count(20_000, 1_000)
    late = wire.message(1, bytes(8 * KIB), flags=wire.HAS_MESSAGE) + wire.credit(1, 5)
    sent = peer.flood(late for _ in range(count))
    peer.send(peer.call("echo", b"8 bytes!"))
    peer.wait(lambda: peer.finishes == 2)
    target.expect(sent == count and peer.statuses[wire.OK] == 1, f"{sent} of {count} discarded, {peer.goaway}")
    target.note(f"{sent} discarded")
