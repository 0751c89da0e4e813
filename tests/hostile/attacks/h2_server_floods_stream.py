# SPDX-License-Identifier: MIT
"""Endless streams of a server of gRPC for a client that does not read, within the windows that it grants.

Bounds: the windows hold the streams up; the deadline ends them, and reading what is left takes no longer than it takes
to send it; 40 MiB for both.
"""

import time

import http2
from program import KIB, MIB

SIDE = "grpc_client"
OPTIONS = {"max_message_bytes": 4 * MIB, "max_unread_bytes": 16 * MIB}
PEAK = 16 * MIB + 24 * MIB


def attack(target):
    streams = 20
    target.begin_streams(streams, milliseconds=20_000)
    peer = target.accept_calls(streams)
    ids = list(peer.requests)
    peer.send(b"".join(http2.headers(id, http2.leading()) for id in ids))
    peer.patience = 1.0
    large = http2.data(ids[0], http2.message(bytes(8 * KIB)), ends=False)
    sent_large = peer.flood([large] * 1000)
    empty = b"".join(http2.data(id, http2.message(b"") * 100, ends=False) for id in ids[1:])
    sent_empty = peer.flood([empty] * target.count(1600, 1600)) * 100 * (streams - 1)
    target.expect(sent_large < 1000, "the window of an unread stream is opened all the time")
    target.wait_for_echoes(20)
    target.expect_report(lambda now: now["messages"] == 0, "messages were read")
    began = time.monotonic()
    target.program.ask("release")
    target.expect_report(lambda now: now["messages"] >= sent_large + sent_empty, "the messages are not read")
    target.note(
        f"{sent_large} messages of 8 KiB and {sent_empty} empty ones unread, read in {time.monotonic() - began:.2f} s"
    )
    peer.patience = target.patience
    peer.send(b"".join(http2.trailers(id) for id in ids))
    target.expect_ended()
