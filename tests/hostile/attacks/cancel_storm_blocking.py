# SPDX-License-Identifier: MIT
"""Two calls occupy the two workers; 10,000 further ones are queued and cancelled.

Bounds: cancelled jobs leave the queue while the workers are still occupied, so that a blocking call of someone else is
queued instead of refused.
"""

import wire
from program import MIB
from target import OTHER

OPTIONS = {"max_queued_blocking_calls": 10_000, "worker_threads": 2}
PEAK = 24 * MIB


def attack(target):
    count = target.count(10_000, 10_000)
    peer = target.connect()
    peer.send(peer.call("block") + peer.call("block"))
    target.expect_report(lambda now: now["running_handlers"] == 2, "the workers are not occupied")
    peer.flood(peer.call("block") for _ in range(count))
    target.expect_report(lambda now: now["queued_blocking_calls"] == count, "calls are not queued")
    for number in range(3, 3 + count):
        peer.send(wire.cancel(number))
    report = target.expect_report(lambda now: now["queued_blocking_calls"] == 0, "cancelled calls stay queued", 20)

    other = target.connect(address=OTHER)
    other.send(other.call("block"))
    other.send(other.call("echo"))
    other.wait(lambda: other.finishes == 1)
    target.expect(other.statuses == {wire.OK: 1}, f"the call of another peer was refused: {dict(other.statuses)}")
    target.note(f"{count} cancelled, {report['queued_blocking_calls']} left in the queue")
