# SPDX-License-Identifier: MIT
"""Large responses are asked for in long pipelines, and not read.

Bounds: max_memory_bytes.
"""

import http1
from program import KIB, MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_memory_bytes": 64 * MIB}
PEAK = 64 * MIB + 16 * MIB


def attack(target):
    connections = target.count(100, 40)
    for _ in range(connections):
        peer = target.connect_http1(receive_buffer=4 * KIB)
        peer.push(http1.call("/big", b"1048576") * 100, stall=0.2)
    target.wait_for_echoes(50)
    target.note(f"{connections} connections, {target.program.report()['calls_started']} calls begun")
