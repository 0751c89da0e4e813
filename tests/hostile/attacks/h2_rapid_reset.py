# SPDX-License-Identifier: MIT
"""Calls that are reset at once, as fast as they are taken (CVE-2023-44487).

Bounds: no handler remains, no more run at a time than streams are permitted, within 32 MiB.
"""

import http2
from program import MIB

PEAK = 32 * MIB
OPTIONS = {"max_concurrent_calls_per_connection": 100}


def attack(target):
    peer, count = target.connect_http2(), target.count(200_000, 20_000)
    for first in range(0, count, 100):
        ids = range(2 * first + 1, 2 * first + 201, 2)
        if peer.is_closed or not peer.send(b"".join(http2.call(id, "wait") + http2.reset(id) for id in ids)):
            break
    report = target.expect_report(lambda now: now["running_handlers"] == 0, "handlers remain")
    target.expect(report["peak_handlers"] <= 100, f"{report['peak_handlers']} handlers ran at a time")
    target.note(f"{report['started_handlers']} of {count} calls ran, {peer.goaway}")
