# SPDX-License-Identifier: MIT
"""Frames that break a rule of sections 2 to 8, each on a connection of its own.

Bounds: each connection is ended with goaway, code 13 or 8, within 8 MiB.
"""

import wire
from program import MIB

PEAK = 8 * MIB


def frames():
    good = wire.call(1, "wait")
    return {
        "a frame of 4 GiB": wire.frame(wire.CALL, call=1, length=(1 << 32) - 1),
        "a header block of 4 GiB": wire.frame(wire.CALL, b"\xff\xff\xff\xff" + bytes(60), flags=9, call=1),
        "a header block that is too long": wire.call(1, "echo", block=wire.metadata("a", bytes(64 << 10))),
        "a header block without its fields": wire.frame(wire.CALL, b"\x09\x00\x00\x00\x01", flags=9, call=1),
        "an unknown type": wire.frame(0x7F, b"x"),
        "an unknown flag": wire.frame(wire.CALL, flags=0x89, call=1),
        "call 0": wire.call(0, "echo"),
        "an id that falls": wire.call(2, "echo") + wire.call(1, "echo"),
        "an id twice": good + good,
        "an id that jumps too far": good + wire.call((1 << 31) + 5, "echo"),
        "a method number that was not assigned": wire.call(1, None, method_number=5),
        "a method number out of order": wire.call(1, "echo", method_number=5),
        "a method number above max_methods": wire.call(1, "echo", method_number=1 << 30),
        "a codec that is not in the list": wire.call(1, "echo", b"x", codec=99),
        "a compressor that is not in the list": wire.call(1, "echo", b"x", compressor=99),
        "a message for a call that was never opened": wire.message(77, b"x"),
        "a finish from a client": good + wire.frame(wire.FINISH, call=1),
        "a credit of nothing": wire.credit(0, 0),
        "a ping of 7 bytes": wire.frame(wire.PING, b"7 bytes"),
        "more without message": wire.frame(wire.CALL, flags=wire.MORE, call=1),
        "a method name of 1025 bytes": wire.call(1, "m" * 1025),
        "a method name that is not UTF-8": wire.frame(
            wire.CALL, wire.header_block(wire.field(wire.METHOD, b"\xff\xfe")), flags=wire.HEADERS | wire.END, call=1
        ),
        "metadata with a bad name": wire.call(1, "echo", block=wire.metadata("Not Lower", "x")),
    }


def attack(target):
    for _ in range(target.count(20, 1)):
        for what, bad in frames().items():
            peer = target.connect()
            peer.send(bad)
            peer.wait_closed()
            code = peer.goaway and peer.goaway[0]
            target.expect(peer.is_closed, f"{what}: the connection goes on")
            target.expect(code in (wire.INTERNAL, wire.RESOURCE_EXHAUSTED), f"{what}: goaway {code}")
            peer.close()
    target.note(f"{len(frames())} kinds, goaway for each")
