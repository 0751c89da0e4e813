# SPDX-License-Identifier: MIT
"""Calls that break a rule of HTTP/2 or gRPC, each on a connection of its own.

Bounds: each ends the call or the connection, and no handler runs, within 8 MiB.
"""

import http2
from program import MIB

PEAK = 8 * MIB


def requests():
    base = http2.request("deaf")
    whole = http2.message(b"x")
    blocks = {
        "a pseudo-header twice": base.replace(b"\x07:method\x04POST", b"\x07:method\x04POST\x00\x07:method\x04POST"),
        "a late pseudo-header": base + http2.field(":path", "/deaf"),
        "an unknown pseudo-header": http2.field(":odd", "x") + base,
        "no path": http2.fields((":method", "POST"), (":scheme", "http"), ("content-type", "application/grpc+bytes")),
        "connection": base + http2.field("connection", "close"),
        "transfer-encoding": base + http2.field("transfer-encoding", "chunked"),
        "te that is not trailers": base + http2.field("te", "gzip"),
        "upper case": base + http2.field("Upper", "x"),
        "an unknown encoding": base + http2.field("grpc-encoding", "odd"),
        "a bad timeout": base + http2.field("grpc-timeout", "1x"),
        "an endless timeout": base + http2.field("grpc-timeout", "9" * 40 + "S"),
        "a list over the limit": base + b"".join(http2.field("a" * 50, "b" * 100) for _ in range(100)),
    }
    found = {what: http2.headers(1, block) + http2.data(1, whole) for what, block in blocks.items()}
    start = http2.headers(1, base)
    found["compressed without an encoding"] = start + http2.data(1, http2.message(b"x", flag=1))
    found["an unknown flag"] = start + http2.data(1, http2.message(b"x", flag=2))
    found["a message over the limit"] = start + http2.data(1, http2.message(b"x", length=(1 << 32) - 1), ends=False)
    found["half a message"] = start + http2.data(1, http2.message(b"x", length=9))
    found["a window that overflows"] = http2.window_update(0, (1 << 31) - 1)
    found["DATA on an idle stream"] = http2.data(5, whole)
    announced = http2.headers(1, base + http2.field("content-length", "3"))
    found["DATA beyond content-length"] = announced + http2.data(1, whole)
    refused = http2.fields((":method", "GET"), (":scheme", "http"), (":path", "/"))
    found["DATA without a request"] = http2.headers(1, refused) + (
        http2.frame(http2.DATA, b"x" * 10, stream=1) + http2.headers(1, http2.field(":path", "/late"), ends=True)
    )
    found["trailers with a pseudo-header"] = start + http2.headers(1, http2.field(":path", "/late"), ends=True)
    found["trailers that do not end"] = start + http2.headers(1, http2.field("late", "x"))
    found["a stream that depends on itself"] = http2.frame(http2.PRIORITY, b"\0\0\0\1\0", stream=1)
    found["an even stream"] = http2.headers(2, base)
    return found


def attack(target):
    kinds = requests()
    for _ in range(target.count(20, 1)):
        for what, bad in kinds.items():
            peer = target.connect_http2()
            peer.send(bad)
            peer.wait(lambda peer=peer: peer.answered or peer.is_closed)
            target.expect(peer.answered or peer.is_closed, f"{what}: no answer")
            target.expect(target.program.report()["started_handlers"] == 0, f"{what}: the handler ran")
            peer.close()
    target.note(f"{len(kinds)} kinds")
