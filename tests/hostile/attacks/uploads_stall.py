# SPDX-License-Identifier: MIT
"""Messages stop in the middle for ever, on many connections, while another peer uploads.

Bounds: max_memory_bytes, and the long message of the other peer is completed.
"""

import wire
from program import KIB, MIB
from target import OTHER

OPTIONS = {"max_message_bytes": 4 * MIB, "max_unread_bytes": 16 * MIB, "max_memory_bytes": 64 * MIB}
PEAK = 64 * MIB + 32 * MIB


def attack(target):
    connections = target.count(100, 30)
    for _ in range(connections):
        peer = target.connect()
        peer.send(wire.first_chunk(1, "take", bytes(512 * KIB), 4 * MIB))
    target.wait_for_echoes(50)

    other = target.connect(address=OTHER)
    size, piece = 3 * MIB, 256 * KIB
    other.send(wire.first_chunk(1, "take", bytes(piece), size))
    left, room = size - piece, MIB - piece
    while left > 0 and not other.finishes:
        other.wait(lambda: room + other.call_credit[1] >= piece or other.finishes, 20)
        if room + other.call_credit[1] < piece:
            break
        left -= piece
        room -= piece
        flags = wire.HAS_MESSAGE | (wire.MORE if left else wire.END)
        other.flood([wire.message(1, bytes(piece), flags=flags, codec=0)])
    other.wait(lambda: other.finishes == 1, 20)
    target.expect(other.statuses == {wire.OK: 1}, f"another peer's upload: {left} bytes left, {dict(other.statuses)}")
    target.note(f"{connections} stalled, another upload completed")
