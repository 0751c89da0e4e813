# SPDX-License-Identifier: MIT
"""gRPC messages of no bytes, and of one, to streams that nobody reads.

Bounds: what they occupy is charged to the windows, so the connection's holds them all.
"""

import http2
from program import MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_unread_bytes": 16 * MIB}
PEAK = 16 * MIB + 16 * MIB


def attack(target):
    count = target.count(4_000_000, 2_000_000)
    for content in (b"", b"x"):
        peer = target.connect_http2()
        peer.send(http2.headers(1, http2.request("unread")))
        peer.patience = 2.0
        block = http2.data(1, http2.message(content) * 1000, ends=False)
        sent = peer.flood([block] * (count // 1000)) * 1000
        target.note(f"{sent} messages of {len(content)}, {peer.goaway}")
