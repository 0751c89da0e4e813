# SPDX-License-Identifier: MIT
"""A peer that sends thousands of calls and closes its sending side.

Bounds: every response that is ready arrives; the calls that wait are cancelled; 24 MiB.
"""

import wire
from program import MIB

PEAK = 24 * MIB


def attack(target):
    count = target.count(10_000, 3_000)
    peer = target.connect(connection_credit=(1 << 31) - 1)
    peer.send(peer.call("wait") + b"".join(peer.call("echo", bytes(64)) for _ in range(count)))
    peer.half_close()
    peer.wait_closed()
    target.expect(peer.statuses[wire.OK] == count, f"{peer.statuses[wire.OK]} of {count} responses arrived")
    target.expect_report(lambda now: now["running_handlers"] == 0, "handlers of the half-closed connection run")
    target.note(f"{count} responses")
