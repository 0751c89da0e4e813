# SPDX-License-Identifier: MIT
"""Connections that complete the TLS handshake and send nothing.

Bounds: 128 KiB for each, and handshake_timeout ends them.
"""

import silence
import tls
from peer import Peer
from program import KIB, MIB

NEEDS = ("tls",)
OPTIONS = {"handshake_timeout": 1500}
PEAK = 200 * 128 * KIB + 4 * MIB


def attack(target):
    peers = []
    for _ in range(target.count(200, 50)):
        sock = target.socket(target.tls_port)
        tls.connect(sock)
        peers.append(target.keep(Peer(sock, target.add_sent, target.patience)))
    silence.hold(target, peers)
