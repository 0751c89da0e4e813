# SPDX-License-Identifier: MIT
"""Connections that send the preface and no hello.

Bounds: 8 KiB for each, and handshake_timeout ends them.
"""

import silence
import wire
from program import KIB, MIB

OPTIONS = {"handshake_timeout": 1500}
PEAK = 1000 * 8 * KIB + 2 * MIB


def attack(target):
    peers = [target.connect(greets=False) for _ in range(target.count(1000, 300))]
    for peer in peers:
        peer.send(wire.PREFACE)
    silence.hold(target, peers)
