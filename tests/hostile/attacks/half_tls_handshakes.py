# SPDX-License-Identifier: MIT
"""Connections to the TLS port that stop after their ClientHello.

Bounds: 128 KiB for each, which is what a handshake takes, and handshake_timeout ends them.
"""

import silence
import tls
from program import KIB, MIB

NEEDS = ("tls",)
OPTIONS = {"handshake_timeout": 1500}
PEAK = 400 * 128 * KIB + 4 * MIB


def attack(target):
    hello = tls.client_hello()
    peers = [target.connect(greets=False, port=target.tls_port) for _ in range(target.count(400, 100))]
    for peer in peers:
        peer.has_preface = True
        peer.send(hello)
    silence.hold(target, peers)
