# SPDX-License-Identifier: MIT
"""Calls of a method that does not exist, each with a 2 KB zstd frame that becomes 64 MiB.

Bounds: nothing is decompressed, every call is refused for its method, whatever size it declares, and memory grows by
less than one bomb.
"""

import wire
from program import MIB

NEEDS = ("zstd",)
PEAK = 32 * MIB


def attack(target):
    bomb = wire.compressed(64 * MIB, wire.zstd_run(64 * MIB))
    count = target.count(100, 100)
    peer = target.connect()
    zstd = target.number_of("zstd")

    peer.flood(peer.call("nobody/knows", bomb, compressor=zstd) for _ in range(count))
    peer.wait(lambda: peer.finishes == count)

    target.expect(peer.statuses[wire.UNIMPLEMENTED] == count, f"calls ended otherwise: {dict(peer.statuses)}")
    decompressed = target.program.report()["decompressed_bytes"]
    target.expect(decompressed == 0, f"{decompressed} bytes were decompressed for nobody")
    target.note(f"{count} refused, nothing decompressed")
