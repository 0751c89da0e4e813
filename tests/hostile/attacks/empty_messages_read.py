# SPDX-License-Identifier: MIT
"""Messages of no bytes to a handler that reads them.

Bounds: 16 MiB; each arrives.
"""

import wire
from program import MIB

PEAK = 16 * MIB


def attack(target):
    count = target.count(2_000_000, 100_000)
    peer = target.connect()
    peer.send(peer.call("sink", flags=wire.HAS_MESSAGE))
    block = wire.message(1, b"") * 1000
    peer.flood([block] * (count // 1000))
    peer.flood([wire.message(1, b"", flags=wire.END, codec=0)])
    peer.wait(lambda: peer.finishes == 1)
    # The call has a message as well.
    received = target.program.report()["messages"]
    target.expect(received == count + 1, f"{received} of {count + 1} messages were read")
    target.note(f"{received} messages read")
