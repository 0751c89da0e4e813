# SPDX-License-Identifier: MIT
"""An ordered connection whose first call does not end, so that thousands of refusals wait behind it.

Bounds: 16 MiB, or the connection is ended with goaway, code 8.
"""

import wire
from program import MIB

OPTIONS = {"max_concurrent_calls_per_connection": 1000}
PEAK = 16 * MIB


def attack(target):
    count = target.count(200_000, 20_000)
    peer = target.connect(extra=wire.field(wire.ORDERED, 1))
    peer.patience = 5.0
    peer.send(peer.call("wait"))
    sent = peer.flood(b"".join(peer.call("nobody/knows") for _ in range(100)) for _ in range(count // 100)) * 100
    peer.wait(lambda: peer.goaway is not None, 2.0)
    code = peer.goaway and peer.goaway[0]
    target.expect(code in (None, wire.RESOURCE_EXHAUSTED), f"goaway {code}")
    target.note(f"{sent} calls taken, " + (f"goaway {code}" if peer.goaway else "connection goes on"))
