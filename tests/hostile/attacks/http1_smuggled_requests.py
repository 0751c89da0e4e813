# SPDX-License-Identifier: MIT
"""Requests whose end can be read in two ways, with another request in what would be left over.

Bounds: each is answered once, with the status of its error, and ends its connection; none of the hidden requests runs.
"""

import http1
from program import MIB

PEAK = 4 * MIB

HIDDEN = http1.call("/take", b"hidden")
TYPE = f"Content-Type: {http1.OCTETS}"
CHUNKED = "Transfer-Encoding: chunked"


def chunked(content, *fields):
    return http1.head("POST", "/take", TYPE, CHUNKED, *fields) + content


REQUESTS = (
    (400, http1.head("POST", "/take", TYPE, "Content-Length: 0", f"Content-Length: {len(HIDDEN)}") + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, "Content-Length: 0, 0") + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, "Content-Length: +0") + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, f"Content-Length: {len(HIDDEN)}", CHUNKED) + b"0\r\n\r\n" + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, "Content-Length : 6") + HIDDEN),
    (501, http1.head("POST", "/take", TYPE, "Transfer-Encoding: gzip, chunked") + b"0\r\n\r\n" + HIDDEN),
    (501, http1.head("POST", "/take", TYPE, "Transfer-Encoding: xchunked") + b"0\r\n\r\n" + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, CHUNKED, CHUNKED) + b"0\r\n\r\n" + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, CHUNKED, version="HTTP/1.0") + b"0\r\n\r\n" + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, "A: b", " Content-Length: 6") + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, "A: b\nContent-Length: 6") + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, "A: b\rContent-Length: 6") + HIDDEN),
    (400, http1.head("POST", "/take", TYPE, "A: b\0", "Content-Length: 0") + HIDDEN),
    (400, http1.head("GET", "/take", host="") + HIDDEN),
    (400, http1.head("GET", "/take", "Host: other") + HIDDEN),
    (400, chunked(b"0x0\r\n\r\n" + HIDDEN)),
    (400, chunked(b"0 \r\n\r\n" + HIDDEN)),
    (400, chunked(b"0\n\r\n" + HIDDEN)),
    (400, chunked(b"10000000000000000\r\n\r\n" + HIDDEN)),
    (400, chunked(b"1;a\nb\r\nx\r\n0\r\n\r\n" + HIDDEN)),
    (400, chunked(b"1\r\nxx\r\n0\r\n\r\n" + HIDDEN)),
    (400, chunked(b"1\r\nx\n0\r\n\r\n" + HIDDEN)),
    (400, chunked(b"0\r\nContent-Length: 6\r\n\r\n" + HIDDEN)),
    (400, chunked(b"0\r\nA : b\r\n\r\n" + HIDDEN)),
)


def attack(target):
    for status, request in REQUESTS:
        peer = target.connect_http1()
        peer.send(request)
        answer = peer.read_all()
        target.expect(answer is not None, f"the connection does not end: {request[:100]!r}")
        line = f"HTTP/1.1 {status} ".encode()
        is_answered = answer is not None and answer.startswith(line) and answer.count(b"HTTP/1.1 ") == 1
        target.expect(is_answered, f"not answered with {status}: {request[:200]!r}: {answer!r}")
    ran = target.program.report()["started_handlers"]
    target.expect(ran == 0, f"{ran} hidden requests have run")
    target.note(f"{len(REQUESTS)} requests")
