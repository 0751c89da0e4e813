# SPDX-License-Identifier: MIT
"""Small gzip messages that become 64 MiB: for an unknown method, over the limit, and with a size that is a lie.

Bounds: every call is answered, nothing of them is decompressed beyond what they declare, and memory grows by less than
one bomb.
"""

import gzip

import http2
from program import KIB, MIB

NEEDS = ("gzip",)
OPTIONS = {"max_message_bytes": 32 * MIB}
PEAK = 24 * MIB


def attack(target):
    bomb = gzip.compress(bytes(64 * MIB), 9)

    def declares(size):
        """The same, but its last four bytes, which gzip has for the size, say `size`."""
        return bomb[:-4] + size.to_bytes(4, "little")

    kinds = (
        ("nobody/knows", bomb),
        ("nobody/knows", declares(KIB)),
        ("take", bomb),
        ("take", declares(0)),
        ("take", declares(KIB)),
        ("take", declares((1 << 32) - 1)),
        ("take", bomb[:1000]),
        ("take", b""),
    )
    encoding = ("grpc-encoding", "gzip")
    count = target.count(100, 10)
    for method, content in kinds:
        # One after the other, so that the client's window has room for each.
        peer = target.connect_http2()
        for i in range(count):
            stream = 2 * i + 1
            peer.send(http2.headers(stream, http2.request(method, encoding)))
            peer.send(http2.data(stream, http2.message(content, flag=1)))
            target.expect(
                peer.wait(lambda peer=peer, i=i: peer.answered > i or peer.is_closed) and not peer.is_closed,
                f"{method}, {len(content)} bytes: no answer, {peer.goaway}",
            )
            if peer.is_closed:
                break
        peer.close()
    report = target.program.report()
    target.expect(report["started_handlers"] == 0, f"{report['started_handlers']} handlers ran")
    target.note(f"{count * len(kinds)} bombs, {report['decompressed_bytes']} bytes decompressed")
