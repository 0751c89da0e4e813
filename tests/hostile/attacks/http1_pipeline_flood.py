# SPDX-License-Identifier: MIT
"""Pipelines of calls whose handlers do not end: only one of each connection may run.

Bounds: one handler for each connection; memory: 256 KiB for each of them.
"""

import http1
from program import KIB, MIB

PEAK = 50 * 256 * KIB + 8 * MIB


def attack(target):
    connections = target.count(50, 20)
    pipeline = http1.call("/deaf", b"x" * 100) * 5000
    for _ in range(connections):
        target.connect_http1().push(pipeline, stall=0.2)
    report = target.expect_report(lambda now: now["running_handlers"] == connections, "not one handler for each")
    target.expect(report["peak_handlers"] <= connections, f"{report['peak_handlers']} handlers ran")
    target.wait_for_echoes(20)
    target.note(f"{connections} connections")
