# SPDX-License-Identifier: MIT
"""Heads that do not end: huge paths, huge fields and many fields.

Bounds: 414 and 431 as soon as a limit is passed; memory: 64 KiB for each connection.
"""

import http1
from program import KIB, MIB

PEAK = 200 * 64 * KIB + 4 * MIB


def attack(target):
    start = b"GET /echo HTTP/1.1\r\nHost: server\r\n"
    heads = (
        (414, b"GET /" + b"a" * (1 << 20)),
        (431, start + b"A: " + b"a" * (1 << 20)),
        (431, start + b"A: b\r\n" * 200 + b"\r\n"),
        (400, b"GET /" + b"a" * 100 + b" "  * 100 + b"HTTP/1.1\r\n\r\n"),
    )
    for number in range(target.count(200, 40)):
        status, head = heads[number % len(heads)]
        peer = target.connect_http1()
        peer.push(head, stall=1.0)
        answer = peer.read_all() or b""
        # What comes after the answer may reset the connection before the answer has been read.
        is_refused = answer.startswith(f"HTTP/1.1 {status} ".encode()) or not answer
        target.expect(is_refused, f"{head[:50]!r}: {answer[:200]!r}")
    target.note(f"{number + 1} heads")
