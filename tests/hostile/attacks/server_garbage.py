# SPDX-License-Identifier: MIT
"""Servers of other protocols, broken hellos and rubbish.

Bounds: each call ends once, with its deadline at the latest; 16 MiB.
"""

import wire
from program import MIB

SIDE = "client"
OPTIONS = {"handshake_timeout": 400}
PEAK = 16 * MIB


def attack(target):
    greetings = (
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46",
        bytes(1000),
        wire.PREFACE[:7] + b"\x63" + wire.hello(),
        wire.PREFACE + wire.frame(wire.HELLO, length=(1 << 32) - 1),
        wire.PREFACE + wire.frame(wire.PING, b"8 bytes!"),
        wire.PREFACE + wire.frame(wire.HELLO, wire.field(wire.VERSION, 1) * 2),
        wire.PREFACE,
    )
    for number, greeting in enumerate(greetings):
        target.begin_calls(1, milliseconds=800)
        peer = target.accept(greets=False, waits=False)
        peer.send(greeting)
        target.expect(peer.wait_closed(20), f"the client keeps a server that greets with number {number}")
        peer.close()
        # Until the call has ended the client tries again.
        target.drain(lambda number=number: target.program.report()["ended"] == number + 1)
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"calls succeeded: {statuses}")
    target.note(f"statuses {statuses}")
