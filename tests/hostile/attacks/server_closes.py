# SPDX-License-Identifier: MIT
"""A server that accepts connections and closes them at once.

Bounds: each call ends once, with its deadline at the latest; 24 MiB.
"""

from program import MIB

SIDE = "client"
PEAK = 24 * MIB


def attack(target):
    target.begin_calls(target.count(5_000, 500), milliseconds=3000)
    accepted = 0
    for accepted, _ in enumerate(target.accept_for(3, greets=False, waits=False), 1):
        target.close_peers()
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"calls succeeded without a server: {statuses}")
    # Attempts are spaced by the backoff, 100 to 200 ms here.
    target.expect(accepted <= 50, f"{accepted} connections in 3 s: there is no backoff")
    target.note(f"{accepted} attempts, statuses {statuses}")
