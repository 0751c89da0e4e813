# SPDX-License-Identifier: MIT
"""A server that accepts connections and closes them at once.

Bounds: each call ends once, with its deadline at the latest; 24 MiB.
"""

import time

from program import MIB

SIDE = "client"
PEAK = 24 * MIB


def attack(target):
    calls = target.count(5_000, 500)
    target.begin_calls(calls, milliseconds=3000)
    accepted, end = 0, time.monotonic() + 3
    target.listener.settimeout(0.2)
    while time.monotonic() < end:
        try:
            target.accept(greets=False, waits=False).close()
        except TimeoutError:
            continue
        target.peers.clear()
        accepted += 1
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"calls succeeded without a server: {statuses}")
    # Attempts are spaced by the backoff, 100 to 200 ms here.
    target.expect(accepted <= 200, f"{accepted} connections in 3 s: there is no backoff")
    target.note(f"{accepted} attempts, statuses {statuses}")
