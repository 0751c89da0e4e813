# SPDX-License-Identifier: MIT
"""Calls are opened and cancelled at once; the handler is a coroutine that ends when it is cancelled.

Bounds: no more handlers run than max_concurrent_calls_per_connection, of which each costs less than 4 KiB.
"""

import storm
from program import KIB, MIB

LIMIT = 2000
OPTIONS = {"max_concurrent_calls_per_connection": LIMIT, "max_cancelled_calls_per_second": 5000}
PEAK = 8 * MIB + LIMIT * 4 * KIB


def attack(target):
    storm.open_and_cancel(target, "wait", target.count(1_100_000, 20_000), LIMIT)
