# SPDX-License-Identifier: MIT
"""Peers that grant one byte at a time: for a long message, and for a stream of messages of one byte.

Bounds: 8 MiB, and no more frames than grants. Credit that lets nothing be sent is limited, so the first peer is
disconnected with goaway, code 8. The second one gets a message for each grant, and a pong.
"""

import wire
from program import KIB, MIB

PEAK = 8 * MIB
CREDIT = 64 * KIB


def attack(target):
    grants = target.count(100_000, 2_000)

    # Of the call's credit less is left than the frames of a long message have.
    peer = connect(target, b"1 1048576", lambda peer: peer.message_bytes >= CREDIT - 4 * KIB)
    grant(peer, grants)
    peer.wait_closed()
    code = peer.goaway and peer.goaway[0]
    target.expect(code == wire.RESOURCE_EXHAUSTED, f"goaway {code} for {grants} grants that let nothing be sent")
    target.note(f"disconnected after {peer.kinds[wire.MESSAGE]} frames of a long message")

    peer = connect(target, b"1048576 1", lambda peer: peer.kinds[wire.MESSAGE] == CREDIT)
    grant(peer, grants)
    peer.wait(lambda: peer.kinds[wire.PONG] == 1 and peer.kinds[wire.MESSAGE] >= CREDIT + grants)
    target.expect(peer.kinds[wire.PONG] == 1, f"no pong behind {grants} grants: {peer.goaway}")
    frames = peer.kinds[wire.MESSAGE] - CREDIT
    target.expect(frames == grants, f"{frames} frames for {grants} grants")
    target.note(f"{frames} messages for {grants} grants")


def connect(target, request, is_exhausted):
    """A peer that has used up the credit of a call."""
    peer = target.connect(call_credit=CREDIT, connection_credit=2 * MIB)
    peer.send(peer.call("source", request))
    target.expect(peer.wait(lambda: is_exhausted(peer)), "the first credit is not used")
    return peer


def grant(peer, grants):
    for _ in range(0, grants, 100):
        if not peer.send((wire.credit(1, 1) + wire.credit(0, 17)) * 100):
            break
    peer.send(wire.ping())
