# SPDX-License-Identifier: MIT
"""Streams that nobody reads are filled with messages that just stay below the permitted ratio: 8 KB become 16 MiB.

Bounds: max_memory_bytes and one message for each connection that was about to decompress one.
"""

import wire
from program import MIB

NEEDS = ("zstd",)
OPTIONS = {"max_message_bytes": 16 * MIB, "max_unread_bytes": 32 * MIB, "max_memory_bytes": 64 * MIB}
PEAK = 64 * MIB + 32 * MIB


def attack(target):
    run = wire.zstd_run(16 * MIB)
    # A skippable frame (RFC 8878, section 3.1.2) makes it as long as the ratio demands.
    filler = 8200 - len(run)
    bomb = wire.compressed(16 * MIB, b"\x50\x2a\x4d\x18" + filler.to_bytes(4, "little") + bytes(filler) + run)
    zstd = target.number_of("zstd")
    connections = target.count(40, 20)
    for _ in range(connections):
        peer = target.connect()
        for _ in range(8):
            peer.send(peer.call("unread", bomb, flags=wire.HAS_MESSAGE, compressor=zstd))
    target.wait_for_echoes(50)
    report = target.program.report()
    target.note(f"{connections * 8} bombs, {report['decompressed_bytes'] // MIB} MiB decompressed")
