# SPDX-License-Identifier: MIT
"""Connections to the TLS port that send nothing.

Bounds: 4 KiB for each, as for plain ones, and handshake_timeout ends them.
"""

import silence
from program import KIB, MIB

NEEDS = ("tls",)
OPTIONS = {"handshake_timeout": 1500}
PEAK = 1000 * 4 * KIB + 2 * MIB


def attack(target):
    peers = [target.connect(greets=False, port=target.tls_port) for _ in range(target.count(1000, 300))]
    silence.hold(target, peers)
