# SPDX-License-Identifier: MIT
"""A server of gRPC whose headers and trailers exceed max_header_bytes, as bytes or as references to HPACK's table.

Bounds: each call ends with resource_exhausted, the connection goes on, and nothing of the fields is kept; 24 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 24 * MIB


def blocks(stream):
    """As trailers, as headers, and a bomb of 3000 bytes for each byte."""
    many = [("key", "v" * 4000)] * 8
    return (
        http2.headers(stream, http2.leading())
        + http2.long_headers(stream, http2.fields(("grpc-status", "0"), *many), ends=True),
        http2.long_headers(stream, http2.leading(*many)),
        http2.long_headers(stream, http2.leading() + http2.field("k", "v" * 3000, is_kept=True) + b"\xbe" * 40_000),
        http2.long_headers(stream, http2.leading(*([("k", "")] * 4000))),
    )


def attack(target):
    rounds = target.count(500, 50)
    calls = 4 * rounds
    target.begin_calls(calls, milliseconds=60_000)
    peer = target.accept_calls(calls)
    for number, stream in enumerate(list(peer.requests)):
        peer.send(blocks(stream)[number % 4])
    target.expect_ended(status=8)
    target.begin_calls(1, milliseconds=60_000)
    peer.wait(lambda: len(peer.requests) == calls + 1)
    peer.send(http2.response(peer.requests[-1], b"x"))
    statuses = target.expect_ended()
    target.expect(statuses == {"0": 1, "8": calls}, f"the connection does not go on: {statuses}")
