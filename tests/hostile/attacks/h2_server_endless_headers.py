# SPDX-License-Identifier: MIT
"""A server of gRPC whose header block never ends (CONTINUATION flood, CVE-2024-24549 and others).

Bounds: the block ends its connection by its bytes or by its frames, before it takes 8 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 8 * MIB


def attack(target):
    for part in (b"", b"\x88", http2.field("key", "v" * 1000), http2.field("key", "v" * 4000, is_kept=True) * 4):
        target.begin_calls(1, milliseconds=60_000)
        peer = target.accept_calls()
        stream = peer.requests[0]
        peer.send(http2.headers(stream, http2.leading(), is_whole=False))
        more = http2.frame(http2.CONTINUATION, part, stream=stream)
        for _ in range(target.count(1000, 100)):
            if peer.is_closed or not peer.send(more * 100):
                break
        target.expect_goaway(peer, http2.ENHANCE_YOUR_CALM, f"a block of frames of {len(part)} bytes goes on")
        peer.close()
        target.expect_ended(status=14)
