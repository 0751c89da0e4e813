# SPDX-License-Identifier: MIT
"""Large responses are asked for with the largest windows, and not read.

Bounds: max_memory_bytes.
"""

import http2
from program import KIB, MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_memory_bytes": 64 * MIB}
PEAK = 64 * MIB + 16 * MIB


def attack(target):
    connections, most = target.count(100, 40), (1 << 31) - 1
    for _ in range(connections):
        grants = http2.initial_window(most) + http2.window_update(0, most - 65535)
        peer = target.connect_http2(receive_buffer=4 * KIB, first=grants)
        peer.push(b"".join(http2.call(2 * call + 1, "big", b"1048576") for call in range(100)), stall=0.2)
    target.wait_for_echoes(50)
    target.note(f"{connections} connections, {target.program.report()['calls_started']} calls begun")
