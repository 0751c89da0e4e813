# SPDX-License-Identifier: MIT
"""Hellos that break the rules of section 3, and a second hello.

Bounds: each connection is ended, within 8 MiB.
"""

import silence
import wire
from program import MIB

OPTIONS = {"handshake_timeout": 1500}
PEAK = 8 * MIB


def attack(target):
    version = wire.field(wire.VERSION, 1)
    hellos = (
        wire.frame(wire.HELLO),
        wire.frame(wire.HELLO, version + version),
        wire.frame(wire.HELLO, version + wire.field(0x33, b"unknown")),
        wire.frame(wire.HELLO, version + wire.field(wire.CALL_CREDIT, 1 << 31)),
        wire.frame(wire.HELLO, version + wire.field(wire.MAX_FRAME, 1)),
        wire.frame(wire.HELLO, version + b"".join(wire.field(wire.CODEC, f"c{i}") for i in range(33))),
        wire.frame(wire.HELLO, version + wire.field(wire.CODEC, "json") * 2),
        wire.frame(wire.HELLO, version + b"\x09\xff\xff\xff\x7fx"),
        wire.frame(wire.HELLO, version + wire.field(0x80, bytes(20_000))),
        wire.frame(wire.HELLO, length=(1 << 32) - 1),
        wire.hello() + wire.hello(),
        wire.call(1, "echo"),
    )
    peers = []
    for number in range(target.count(1200, 120)):
        peer = target.connect(greets=False)
        peer.send(wire.PREFACE + hellos[number % len(hellos)])
        peers.append(peer)
    silence.hold(target, peers)
