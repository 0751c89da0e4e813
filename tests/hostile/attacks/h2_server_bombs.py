# SPDX-License-Identifier: MIT
"""A server of gRPC whose responses of some KB decompress to 64 MiB.

Bounds: each call ends with resource_exhausted, or internal if the response is corrupt; less than one bomb of memory.
"""

import gzip

import http2
import wire
from program import MIB

SIDE = "grpc_client"
NEEDS = ("gzip",)
OPTIONS = {"max_message_bytes": 32 * MIB}
PEAK = 48 * MIB


def attack(target):
    bomb = gzip.compress(bytes(64 * MIB), 9)
    bombs = [("gzip", bomb), ("gzip", bomb[:-4] + (1 << 20).to_bytes(4, "little")), ("gzip", bomb[:1000])]
    if "zstd" in target.compressors:
        bombs.append(("zstd", wire.zstd_run(64 * MIB)))
    calls = target.count(400, 40)
    target.begin_calls(calls, milliseconds=60_000)
    peer = target.accept_calls(calls)
    for number, stream in enumerate(list(peer.requests)):
        encoding, content = bombs[number % len(bombs)]
        # All of them come at once, as far as the windows go.
        frames = http2.data(stream, http2.message(content, flag=1), ends=False)
        peer.send(http2.headers(stream, http2.leading(("grpc-encoding", encoding))))
        peer.flood([frames])
        peer.send(http2.trailers(stream))
    statuses = target.expect_ended()
    target.expect(set(statuses) <= {"8", "13"}, f"calls ended otherwise: {statuses}")
    target.note(f"statuses {statuses}")
