# SPDX-License-Identifier: MIT
"""A server that accepts connections and says nothing.

Bounds: handshake_timeout ends each connection, and each call ends once, with its deadline; 24 MiB.
"""

import wire
from program import MIB

SIDE = "client"
OPTIONS = {"handshake_timeout": 500}
PEAK = 24 * MIB


def attack(target):
    calls = target.count(5_000, 500)
    target.begin_calls(calls, milliseconds=2500)
    first = target.accept(greets=False, waits=False)
    target.expect(first.wait_closed(), "the client keeps a connection whose server never greets")
    target.expect_ended(wire.DEADLINE_EXCEEDED)
    target.note(f"{calls} deadlines")
