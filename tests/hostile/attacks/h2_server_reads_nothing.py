# SPDX-License-Identifier: MIT
"""A server of gRPC that asks for answers with PING and SETTINGS and reads none of them.

Bounds: the connection is ended, or holds no more answers than max_unsent_bytes; its calls end once; 16 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 16 * MIB


def attack(target):
    for frame in (http2.frame(http2.PING, b"8 bytes!"), http2.settings()):
        target.begin_calls(10, milliseconds=3000)
        peer = target.accept_calls(10)
        sent = peer.push(frame * target.count(2_000_000, 200_000))
        target.expect_ended()
        target.note(f"{sent} bytes were taken")
        peer.close()
