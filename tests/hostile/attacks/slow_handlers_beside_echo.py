# SPDX-License-Identifier: MIT
"""200 calls with requests of 100 KB whose handlers do not end, and an echo on the same connection.

Bounds: the echo is served while the handlers run. They hold their requests, which makes 20 MB.
"""

import wire
from program import KIB, MIB

PEAK = 200 * 100 * KIB + 32 * MIB


def attack(target):
    count = target.count(200, 200)
    peer = target.connect()
    peer.keeps_calls = True
    sent = peer.flood(peer.call("deaf", bytes(100 * KIB)) for _ in range(count))
    target.expect(sent == count, f"only {sent} of {count} requests could be sent: the credit is held by handlers")
    peer.send(peer.call("echo", b"8 bytes!"))
    peer.wait(lambda: peer.last_id in peer.finished, 20)
    target.expect(peer.finished.get(peer.last_id) == wire.OK, "an echo waits for handlers of the same connection")
    target.note(f"echo served beside {target.program.report()['running_handlers']} handlers")
