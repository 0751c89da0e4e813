# SPDX-License-Identifier: MIT
"""A server that takes the first bytes of long requests and grants no credit for more.

Bounds: each call ends once with its deadline. The requests are the caller's: each has a copy of 1 MB.
"""

import wire
from program import MIB

SIDE = "client"
CALLS = 50
PEAK = CALLS * 2 * MIB + 32 * MIB


def attack(target):
    target.begin_calls(CALLS, size=MIB, milliseconds=3000)
    target.accept()
    target.expect_ended(wire.DEADLINE_EXCEEDED)
    target.note(f"{CALLS} deadlines")
