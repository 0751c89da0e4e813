# SPDX-License-Identifier: MIT
"""Paths and fields that try to put further fields, or another response, into the response.

Bounds: one response to each, without what was injected.
"""

import http1
from program import MIB

PEAK = 4 * MIB

MARK = b"Injected: yes"


def attack(target):
    paths = (
        "/a%0d%0aInjected:%20yes",
        "/%0d%0a%0d%0aHTTP/1.1%20200%20OK%0d%0aInjected:%20yes",
        "/a%00b",
        "/%0aInjected:%20yes",
    )
    requests = [http1.call(path, b"1") for path in paths]
    requests.append(http1.head("POST", "/echo", "Content-Type: x%0d%0aInjected: yes", "Content-Length: 0"))
    requests.append(http1.head("GET", "/echo?encoding=x%0d%0aInjected:%20yes&message=1"))
    for request in requests:
        peer = target.connect_http1()
        peer.send(request)
        peer.shut()
        answer = peer.read_all() or b""
        head = answer.partition(b"\r\n\r\n")[0]
        target.expect(head.startswith(b"HTTP/1.1 4"), f"not refused: {request!r}: {answer!r}")
        is_clean = not any(line.lower().startswith(MARK[:9].lower()) for line in head.split(b"\r\n"))
        target.expect(is_clean and answer.count(b"HTTP/1.1 4") == 1, f"{request!r}: {answer!r}")
    target.note(f"{len(requests)} requests")
