# SPDX-License-Identifier: MIT
"""Servers that say nothing, speak another protocol, or send rubbish to a client of gRPC.

Bounds: each call ends once, with its deadline at the latest; handshake_timeout ends what is silent; 16 MiB.
"""

import http2
import wire
from program import MIB

SIDE = "grpc_client"
OPTIONS = {"handshake_timeout": 400}
PEAK = 16 * MIB


def attack(target):
    greetings = (
        b"",
        b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n",
        b"\x15\x03\x01\x00\x02\x02\x46",
        bytes(1000),
        wire.PREFACE + wire.hello(),
        http2.PREFACE + http2.settings(),
        http2.frame(http2.SETTINGS, flags=http2.ACK),
        http2.frame(http2.PING, b"8 bytes!"),
        http2.frame(http2.GOAWAY, bytes(8)),
        http2.frame(http2.SETTINGS, length=(1 << 24) - 1),
        http2.settings()[:5],
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
