# SPDX-License-Identifier: MIT
"""300 uploads of 3 MB on one connection, all of whose pieces interleave, against the rule of section 8.

Bounds: max_unread_bytes, and what the initial credits let pass: of messages that wait for room the connection's credit
of 16 MiB is withheld, and half as much is returned at once.
"""

import collections

import wire
from program import KIB, MIB

OPTIONS = {"max_message_bytes": 4 * MIB, "max_unread_bytes": 16 * MIB, "max_memory_bytes": 64 * MIB}
PEAK = 16 * MIB + 16 * MIB + 16 * MIB


def attack(target):
    size, piece = 3 * MIB, 32 * KIB
    calls = target.count(300, 40)
    peer = target.connect()
    left = dict.fromkeys(range(1, calls + 1), size)
    room = collections.Counter({call: MIB for call in left})
    for call in left:
        peer.flood([wire.first_chunk(call, "take", bytes(piece), size)])
        left[call] -= piece
        room[call] -= piece
    while left and not peer.is_closed:
        grants, moved = peer.kinds[wire.CREDIT], False
        for call in list(left):
            count = min(piece, left[call])
            if room[call] + peer.call_credit[call] < count or peer.credit < wire.HEADER.size + count:
                continue
            last = count == left[call]
            flags = wire.HAS_MESSAGE | (wire.END if last else wire.MORE)
            peer.flood([wire.message(call, bytes(count), flags=flags, codec=0)])
            left[call] -= count
            room[call] -= count
            moved = True
            if last:
                del left[call]
        if not moved and not peer.wait(lambda: peer.kinds[wire.CREDIT] > grants, 2.0):
            break  # against the rule, a peer can stop its own connection
    peer.wait(lambda: peer.finishes == calls - len(left), 10.0)
    target.note(f"{peer.statuses[wire.OK]} of {calls} completed, {peer.finishes - peer.statuses[wire.OK]} failed")
    target.expect(peer.finishes == peer.statuses[wire.OK], f"uploads failed: {dict(peer.statuses)}")
