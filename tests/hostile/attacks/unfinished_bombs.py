# SPDX-License-Identifier: MIT
"""Twenty connections that put 2 KB bombs of 64 MiB into streams that nobody reads.

Bounds: the ratio refuses them, so memory grows by less than one bomb.
"""

import wire
from program import MIB

NEEDS = ("zstd",)
PEAK = 32 * MIB


def attack(target):
    bomb = wire.compressed(64 * MIB, wire.zstd_run(64 * MIB))
    zstd = target.number_of("zstd")
    peers = [target.connect() for _ in range(20)]
    for peer in peers:
        for _ in range(2):
            peer.send(peer.call("unread", bomb, flags=wire.HAS_MESSAGE, compressor=zstd))
    for peer in peers:
        peer.wait(lambda peer=peer: peer.finishes == 2)
    refused = sum(peer.statuses[wire.RESOURCE_EXHAUSTED] for peer in peers)
    target.expect(refused == 40, f"{refused} of 40 bombs were refused")
    target.note(f"{refused} of 40 refused")
