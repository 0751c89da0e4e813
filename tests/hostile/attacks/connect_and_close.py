# SPDX-License-Identifier: MIT
"""Connections that are closed or reset at once, before and after their hello.

Bounds: 4 KiB for each of the 10,000 connections that one address may have, since a server reads for a moment after its
last word; the descriptors return.
"""

import wire
from program import MIB

PEAK = 40 * MIB


def attack(target):
    count = target.count(20_000, 1_000)
    for number in range(count):
        peer = target.connect(greets=number % 4 > 1, waits=False)
        if number % 2:
            peer.reset()
        else:
            peer.close()
        target.peers.clear()
    target.expect_report(lambda now: now["connections"] == 1, "connections are kept")
    target.note(f"{count} connections")
