# SPDX-License-Identifier: MIT
"""Endless streams for a client that does not read, within the credit that it grants.

Bounds: max_unread_bytes, and then the streams stall; 300,000 messages of one byte would be 30 MB otherwise.
"""

import wire
from program import KIB, MIB

SIDE = "client"
OPTIONS = {"max_message_bytes": 4 * MIB, "max_unread_bytes": 16 * MIB}
PEAK = 16 * MIB + 24 * MIB


def attack(target):
    streams = 20
    target.begin_streams(streams, milliseconds=60_000)
    peer = target.accept()
    peer.wait(lambda: peer.kinds[wire.CALL] == streams)
    peer.patience = 2.0
    large = wire.message(1, bytes(16 * KIB))
    call_credit = int.from_bytes(peer.hello[wire.CALL_CREDIT], "little")
    sent = peer.flood([large] * (call_credit // (16 * KIB)))
    tiny = b"".join(wire.message(call, b"x") for call in range(2, streams + 1)) * 10
    sent_tiny = peer.flood([tiny] * target.count(1600, 1600)) * 190
    target.wait_for_echoes(20)
    target.note(f"{sent} messages of 16 KiB and {sent_tiny} of 1 byte unread")
