# SPDX-License-Identifier: MIT
"""Requests that are small and would be decoded to something large: msgpack that claims 2^32 - 1 elements, deep nesting.

Bounds: 48 MiB; each call ends with an error.
"""

import wire
from program import KIB, MIB

PEAK = 48 * MIB


def attack(target):
    requests = {
        "an array of 2^32 - 1 elements": (wire.MSGPACK, b"\xdd\xff\xff\xff\xff\x01"),
        "a map of 2^32 - 1 entries": (wire.MSGPACK, b"\xdf\xff\xff\xff\xff\x01\x01"),
        "a text of 2^32 - 1 bytes": (wire.MSGPACK, b"\xdb\xff\xff\xff\xffx"),
        "arrays nested 900 KB deep": (wire.MSGPACK, b"\x91" * (900 * KIB)),
        "JSON nested 900 KB deep": (wire.JSON, b"[" * (900 * KIB)),
        "900 KB of empty arrays": (wire.MSGPACK, b"\xdc\xff\xff" + b"\x90" * (900 * KIB)),
    }
    peer = target.connect()
    repeated = target.count(20, 2)
    for what, (codec, request) in requests.items():
        for _ in range(repeated):
            before = peer.finishes
            peer.flood([peer.call("value", request, codec=codec)])
            peer.wait(lambda before=before: peer.finishes == before + 1)
            target.expect(peer.statuses[wire.OK] == 0, f"{what} was decoded")
    target.expect(peer.finishes == peer.last_id, f"{peer.finishes} of {peer.last_id} calls ended")
    target.note(f"{peer.finishes} refused")
