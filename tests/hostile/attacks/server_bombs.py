# SPDX-License-Identifier: MIT
"""Responses of 2 KB that decompress to 64 MiB, beyond the permitted ratio.

Bounds: each call ends with resource_exhausted; less than one bomb of memory.
"""

import wire
from program import MIB

SIDE = "client"
NEEDS = ("zstd",)
PEAK = 32 * MIB


def attack(target):
    bomb = wire.compressed(64 * MIB, wire.zstd_run(64 * MIB))
    calls = target.count(1_000, 100)
    target.begin_calls(calls, milliseconds=60_000)
    # Greeted below, since calls follow the greeting at once.
    peer = target.accept(greets=False, waits=False)
    zstd = wire.COMPRESSORS.index("zstd") + 1

    def respond(kind, flags, call, _number, _body):
        if kind == wire.CALL:
            peer.outbox += wire.frame(
                wire.FINISH, bomb, flags=wire.HAS_MESSAGE, codec=wire.BYTES, compressor=zstd, call=call
            )

    peer.on_frame = respond
    peer.greet()
    target.serve(peer, lambda: target.program.report()["ended"] == calls)
    statuses = target.expect_ended(wire.RESOURCE_EXHAUSTED)
    target.note(f"statuses {statuses}")
