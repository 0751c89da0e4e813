# SPDX-License-Identifier: MIT
"""Responses that declare more than max_message_bytes, and responses that declare the most and never come.

Bounds: the first end with resource_exhausted; memory follows what arrives: 24 MiB.
"""

import wire
from program import KIB, MIB

SIDE = "client"
PEAK = 24 * MIB


def attack(target):
    calls = target.count(2_000, 200)
    target.begin_calls(calls, milliseconds=4000)
    # Greeted below, since calls follow the greeting at once.
    peer = target.accept(greets=False, waits=False)
    number = [0]

    def respond(kind, flags, call, _number, _body):
        if kind != wire.CALL:
            return
        number[0] += 1
        declared = (1 << 31) - 1 if number[0] % 2 else 60 * MIB
        peer.outbox += wire.message(
            call, bytes(KIB), flags=wire.HAS_MESSAGE | wire.MORE, block=wire.field(wire.MESSAGE_BYTES, declared)
        )

    peer.on_frame = respond
    peer.greet()
    target.serve(peer, lambda: number[0] >= calls)
    target.serve(peer, lambda: False, 0.5)
    target.wait_for_echoes(20)
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"unfinished responses succeeded: {statuses}")
    target.note(f"statuses {statuses}")
