# SPDX-License-Identifier: MIT
"""Many calls whose deadlines are the same.

Bounds: each ends once with deadline_exceeded; 4 KiB for each. A thread keeps small pieces of memory of 16384 calls for
reuse, and what lies between them stays resident.
"""

import wire
from program import KIB, MIB

OPTIONS = {"max_concurrent_calls_per_connection": 60_000}
PEAK = 60_000 * 4 * KIB
KEPT = 60_000 * 4 * KIB


def attack(target):
    count = target.count(60_000, 10_000)
    peer = target.connect()
    timeout = wire.field(wire.TIMEOUT, 3_000_000)
    peer.flood(b"".join(peer.call("wait", block=timeout) for _ in range(500)) for _ in range(count // 500))
    peer.wait(lambda: peer.finishes == count)
    target.expect(peer.statuses == {wire.DEADLINE_EXCEEDED: count}, f"calls ended otherwise: {dict(peer.statuses)}")
    target.note(f"{count} deadlines passed")
