# SPDX-License-Identifier: MIT
"""Peers that send preface, hello and calls one byte at a time.

Bounds: 64 KiB for each connection; each gets its responses.
"""

import time

import wire
from program import KIB, MIB

PEAK = 100 * 64 * KIB + 4 * MIB


def attack(target):
    peers = [target.connect(greets=False) for _ in range(target.count(100, 20))]
    conversation = wire.PREFACE + wire.hello() + wire.call(1, "echo", b"8 bytes!") + wire.call(2, "take", b"8 bytes!")
    for at in range(len(conversation)):
        for peer in peers:
            peer.send(conversation[at : at + 1])
        time.sleep(0.001)
    served = sum(peer.wait(lambda peer=peer: peer.statuses[wire.OK] == 2) for peer in peers)
    target.expect(served == len(peers), f"{served} of {len(peers)} peers were served")
    target.note(f"{served} peers served")
