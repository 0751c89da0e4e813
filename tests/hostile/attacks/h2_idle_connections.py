# SPDX-License-Identifier: MIT
"""Connections that have made one call, and stay.

Bounds: 10 KB for each, with the client's usual fields in the table of HPACK. When they have closed, a page of each
stays resident: Asio's reactor keeps the 160 bytes that it has needed for a descriptor, for the next one. Everything
else of a connection is freed, but not the page around these bytes.
"""

import http2
from program import KIB

PEAK = 9000 * 10_000 + (8 << 20)
KEPT = 9000 * 4 * KIB + (8 << 20)
MOST = 10_000


def open_connections(target, count):
    usual = (
        (":method", "POST"), (":scheme", "http"), (":path", "/echo"), (":authority", "localhost:50051"),
        ("content-type", "application/grpc+bytes"), ("te", "trailers"), ("grpc-accept-encoding", "identity, gzip"),
        ("user-agent", "grpc-python/1.60.0 grpc-c/37.0.0 (linux; chttp2)"),
    )  # fmt: skip
    block = b"".join(http2.field(name, value, is_kept=True) for name, value in usual)
    call = http2.headers(1, block) + http2.data(1, http2.message(b"12345678"))
    peers = [target.connect_http2() for _ in range(count)]
    for peer in peers:
        peer.send(call)
    for peer in peers:
        peer.wait(lambda peer=peer: peer.responses == 1)
        target.expect(peer.responses == 1, "a call has no response")


def attack(target):
    open_connections(target, 100)
    target.program.ask("trim")
    before = target.program.resident_bytes()
    count = target.count(9000, 1000)
    open_connections(target, count)
    target.program.ask("trim")
    each = (target.program.resident_bytes() - before) // count
    target.expect(each <= MOST or target.size.is_sanitized, f"{each} bytes for each of {count} connections")
    target.note(f"{each} bytes for each of {count}")
