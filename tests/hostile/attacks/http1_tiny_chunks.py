# SPDX-License-Identifier: MIT
"""Contents in chunks of one byte, with long extensions or trailers, or without any.

Bounds: memory: 1 MiB for each connection. Extensions of more than 16 KiB, and trailers over the limit of heads, are
refused.
"""

import http1
from program import MIB

PEAK = 16 * MIB + 4 * MIB


def attack(target):
    head = http1.head("POST", "/echo", f"Content-Type: {http1.OCTETS}", "Transfer-Encoding: chunked")
    count = target.count(100000, 10000)
    contents = (
        (200, b"1\r\nx\r\n" * count + b"0\r\n\r\n"),
        (400, b"1;" + b"a" * 200 + b"\r\nx\r\n"),
        (400, b"1;" + b"a" * 300 + b"\r\n"),
        (431, b"0\r\nA: " + b"a" * 20000),
    )
    for status, content in contents:
        peer = target.connect_http1()
        repeated = content if status != 400 else content * 200
        peer.push(head + repeated, stall=1.0)
        peer.shut()
        answer = peer.read_all() or b""
        is_right = answer.startswith(f"HTTP/1.1 {status} ".encode()) or (status != 200 and not answer)
        target.expect(is_right, f"{content[:50]!r}: {answer[:200]!r}")
    target.note(f"{count} chunks")
