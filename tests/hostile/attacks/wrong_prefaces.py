# SPDX-License-Identifier: MIT
"""Other protocols, damaged prefaces and rubbish.

Bounds: each connection is ended, within 16 MiB.
"""

import random

import silence
import wire
from program import MIB

OPTIONS = {"handshake_timeout": 1500}
PEAK = 16 * MIB


def attack(target):
    source = random.Random(15)
    beginnings = (
        b"GET / HTTP/1.1\r\nHost: a\r\n",
        b"POST /" + b"a" * 5000,
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes(100),
        b"\x80\x01\x00\x01\x00\x00\x00\x04ping\x00\x00\x00\x00",
        b"\x16\x03\x01\x00\xff\x01" + bytes(300),
        wire.PREFACE[:5] + b"\n\n\x01" + wire.hello(),
        wire.PREFACE[:7] + b"\x63" + wire.hello(),
        bytes(100),
        source.randbytes(20_000),
    )
    peers = []
    for number in range(target.count(1000, 200)):
        peer = target.connect(greets=False)
        peer.has_preface = True
        peer.send(beginnings[number % len(beginnings)])
        peers.append(peer)
    silence.hold(target, peers)
