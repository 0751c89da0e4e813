# SPDX-License-Identifier: MIT
"""Messages of one byte to a stream that nobody reads, as many as the credit permits.

Bounds: a message takes no more memory than it has cost credit, so the connection's credit of 16 MiB bounds them all.
"""

import wire
from program import MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_unread_bytes": 16 * MIB}
PEAK = 16 * MIB + 16 * MIB


def attack(target):
    count = target.count(900_000, 400_000)
    peer = target.connect()
    peer.send(peer.call("unread", flags=wire.HAS_MESSAGE))
    peer.patience = 2.0
    block = wire.message(1, b"x") * 1000
    sent = peer.flood([block] * (count // 1000)) * 1000
    target.note(f"{sent} messages" + (", disconnected" if peer.is_closed else ""))
