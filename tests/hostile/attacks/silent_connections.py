# SPDX-License-Identifier: MIT
"""Connections that send nothing.

Bounds: 4 KiB for each, and handshake_timeout ends them.
"""

import silence
from program import KIB, MIB

OPTIONS = {"handshake_timeout": 1500}
PEAK = 1000 * 4 * KIB + 2 * MIB


def attack(target):
    silence.hold(target, [target.connect(greets=False) for _ in range(target.count(1000, 300))])
