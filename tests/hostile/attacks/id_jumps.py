# SPDX-License-Identifier: MIT
"""Ids that jump as far as they may, round and round, with calls that stay open.

Bounds: tables follow the number of calls, not their ids: 8 MiB.
"""

import wire
from program import MIB

PEAK = 8 * MIB


def attack(target):
    count = target.count(10_000, 5_000)
    peer = target.connect()
    call, frames = 0, []
    for number in range(count):
        call = (call + (1 << 31) - 1 - number % 3) % (1 << 32)
        call = call or 1
        frames.append(wire.call(call, "wait" if number % 5 == 0 else "take", b"x"))
    peer.flood(frames)
    peer.wait(lambda: peer.finishes == count - (count + 4) // 5)
    running = target.program.report()["running_handlers"]
    target.expect(running == (count + 4) // 5, f"{running} handlers run, {dict(peer.statuses)}, {peer.goaway}")
    target.note(f"{count} calls, {running} of them open")
