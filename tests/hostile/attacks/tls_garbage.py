# SPDX-License-Identifier: MIT
"""Rubbish on the TLS port: random bytes, records that claim to be long, a broken ClientHello, plain calls.

Bounds: each connection is ended, within 16 MiB.
"""

import random

import silence
import tls
import wire
from program import MIB

NEEDS = ("tls",)
OPTIONS = {"handshake_timeout": 1500}
PEAK = 16 * MIB


def attack(target):
    source = random.Random(15)
    hello = bytearray(tls.client_hello())
    peers = []
    for number in range(target.count(500, 100)):
        broken = bytearray(hello)
        for _ in range(4):
            broken[source.randrange(5, len(broken))] = source.randrange(256)
        rubbish = (
            source.randbytes(2000),
            b"\x16\x03\x01\xff\xff" + source.randbytes(3000),
            bytes(broken),
            b"\x16\x03\x01\x00\x01\x01" * 300,
            wire.PREFACE + wire.hello() + wire.call(1, "echo"),
        )[number % 5]
        peer = target.connect(greets=False, port=target.tls_port)
        peer.has_preface = True
        peer.send(rubbish)
        peers.append(peer)
    silence.hold(target, peers)
