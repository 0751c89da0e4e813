# SPDX-License-Identifier: MIT
"""Messages, finishes and credit for calls that the client never made.

Bounds: the connection is ended, and the calls on it end once, with unavailable; 16 MiB.
"""

import wire
from program import MIB

SIDE = "client"
PEAK = 16 * MIB


def attack(target):
    unasked = (
        wire.message(1000, b"x"),
        wire.frame(wire.FINISH, call=1000),
        wire.frame(wire.FINISH, b"x", flags=wire.HAS_MESSAGE, codec=wire.BYTES, call=(1 << 31)),
        wire.call(7, "echo"),
        wire.cancel(1),
        wire.frame(wire.FINISH, call=1, number=17),
        wire.hello(),
        wire.frame(wire.GOAWAY, call=77, number=0) + wire.frame(wire.GOAWAY, call=78, number=0),
    )
    for number, frames in enumerate(unasked):
        target.begin_calls(1, milliseconds=4000)
        peer = target.accept()
        peer.wait(lambda peer=peer: peer.kinds[wire.CALL] == 1)
        peer.send(frames)
        target.expect(peer.wait_closed(20), f"the connection goes on after frames number {number}")
        peer.close()
        # A call that may have run is not repeated.
        target.expect_report(lambda now, number=number: now["ended"] == number + 1, "a call has not ended")
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"calls succeeded: {statuses}")
    target.note(f"statuses {statuses}")
