# SPDX-License-Identifier: MIT
"""One-way calls, known and unknown, with and without a handler that ends.

Bounds: max_concurrent_calls_per_connection handlers; nothing is sent for them.
"""

import wire
from program import MIB

OPTIONS = {"max_concurrent_calls_per_connection": 1000}
PEAK = 16 * MIB


def attack(target):
    count = target.count(300_000, 20_000)
    peer = target.connect()
    flags = wire.HAS_MESSAGE | wire.END | wire.ONE_WAY
    for method in ("deaf", "take", "nobody/knows"):
        peer.flood(
            b"".join(peer.call(method, b"8 bytes!", flags=flags) for _ in range(100)) for _ in range(count // 100)
        )  # fmt: skip
    peer.send(wire.ping())
    peer.wait(lambda: peer.kinds[wire.PONG] == 1)
    report = target.program.report()
    target.expect(report["peak_handlers"] <= 1000, f"{report['peak_handlers']} handlers ran, limit 1000")
    target.expect(peer.finishes == 0, f"{peer.finishes} responses to one-way calls")
    target.note(f"at most {report['peak_handlers']} handlers at a time")
