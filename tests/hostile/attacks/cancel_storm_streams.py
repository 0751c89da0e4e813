# SPDX-License-Identifier: MIT
"""Streams are opened and cancelled at once.

Bounds: no more handlers run than max_concurrent_calls_per_connection, of which each costs less than 4 KiB.
"""

import storm
import wire
from program import KIB, MIB

LIMIT = 2000
OPTIONS = {"max_concurrent_calls_per_connection": LIMIT, "max_cancelled_calls_per_second": 5000}
PEAK = 8 * MIB + LIMIT * 4 * KIB


def attack(target):
    storm.open_and_cancel(target, "chat", target.count(1_100_000, 20_000), LIMIT, flags=wire.HAS_MESSAGE)
