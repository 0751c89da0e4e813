# SPDX-License-Identifier: MIT
"""One large table entry is repeated by its index: one byte stands for 4000.

Bounds: no call runs, and each is refused, within 8 MiB.
"""

import http2
from program import MIB

PEAK = 8 * MIB


def attack(target):
    peer, count = target.connect_http2(), target.count(1000, 100)
    peer.send(http2.headers(1, http2.request("echo") + http2.field("bomb", bytes([97]) * 4000, is_kept=True), ends=True))
    block = http2.request("deaf") + http2.indexed(http2.FIRST_DYNAMIC) * 8000
    for call in range(1, count + 1):
        if not peer.send(http2.headers(2 * call + 1, block, ends=True)):
            break
    peer.wait(lambda: peer.answered == count + 1)
    report = target.program.report()
    target.expect(peer.answered == count + 1 or peer.goaway, f"{peer.answered} of {count} bombs are answered")
    target.expect(report["started_handlers"] == 0, "the handler of a bomb ran")
    target.note(f"{count} bombs of 32 MB, {peer.goaway}")
