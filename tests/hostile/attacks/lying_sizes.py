# SPDX-License-Identifier: MIT
"""Compressed requests that claim to become 64 MiB, and are rubbish.

Bounds: memory is taken as output appears, so it grows by less than one claim; every call ends with an error.
"""

import wire
from program import KIB, MIB

NEEDS = ("zstd",)
PEAK = 32 * MIB


def attack(target):
    # Long enough for the permitted ratio, and a valid beginning.
    rubbish = wire.compressed(64 * MIB, wire.zstd_run(64 * MIB)[:20] + b"\xff" * (40 * KIB))
    count = target.count(1000, 100)
    peer = target.connect()
    for name in wire.COMPRESSORS:
        if name in target.compressors:
            number = target.number_of(name)
            peer.flood(peer.call("take", rubbish, compressor=number) for _ in range(count))
    peer.wait(lambda: peer.finishes == peer.last_id)
    target.expect(peer.statuses[wire.OK] == 0, "rubbish was decompressed")
    target.expect(peer.finishes == peer.last_id, f"{peer.finishes} of {peer.last_id} calls ended")
    target.note(", ".join(f"{count} with status {status}" for status, count in sorted(peer.statuses.items())))
