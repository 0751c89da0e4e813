# SPDX-License-Identifier: MIT
"""A server of gRPC that closes or resets its connection behind each byte of a response.

Bounds: each call ends once, with unavailable unless its response was whole, and the next one has a new connection;
16 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 16 * MIB


def attack(target):
    step = target.count(1, 5)
    whole = len(http2.settings() + http2.response(1, b"8 bytes!"))
    cuts = list(range(0, whole, step))
    for number, cut in enumerate(cuts):
        target.begin_calls(1, size=8, milliseconds=20_000)
        peer = target.accept(greets=False, waits=False)
        greeting = http2.settings()
        peer.send(greeting[:cut])
        if cut >= len(greeting):
            peer.wait(lambda peer=peer: len(peer.requests) > 0)
            peer.send(http2.response(peer.requests[0], b"8 bytes!")[: cut - len(greeting)])
            # Otherwise the connection might be reset with the bytes still on their way.
            peer.wait(lambda peer=peer: peer.acks[http2.SETTINGS] > 0)
        if number % 2:
            peer.reset()
        else:
            peer.close()
        if cut < len(greeting):
            # The call has not begun, so it waits for the next connection.
            peer = target.accept_calls()
            peer.send(http2.response(peer.requests[0], b"8 bytes!"))
            target.expect_ended()
            peer.close()
        target.expect_ended()
    statuses = target.expect_ended()
    early = sum(cut < len(http2.settings()) for cut in cuts)
    expected = {"0": early, "14": len(cuts) - early}
    target.expect(statuses == expected, f"{statuses} instead of {expected}")
    target.note(f"{len(cuts)} cuts")
