# SPDX-License-Identifier: MIT
"""Small deflate and zstd messages that become 64 MiB, whose size is not told anywhere.

Bounds: every call is answered; what is decompressed stays within max_message_bytes for each message, and memory within
that of one message.
"""

import zlib

import http2
import wire
from program import MIB

NEEDS = ("deflate", "zstd")
OPTIONS = {"max_message_bytes": 4 * MIB}
PEAK = 12 * MIB


def zstd_without_size(size):
    """As wire.zstd_run(), but without the size, and with a window of 128 KiB."""
    run = wire.zstd_run(size)
    return run[:4] + b"\x00\x38" + run[9:]


def attack(target):
    deflate = zlib.compress(bytes(64 * MIB), 9)
    kinds = (
        ("nobody/knows", "deflate", deflate),
        ("take", "deflate", deflate),
        ("take", "deflate", deflate[:-1]),
        ("take", "zstd", zstd_without_size(64 * MIB)),
        ("take", "zstd", wire.zstd_run(64 * MIB)),
    )
    count = target.count(50, 5)
    for method, name, content in kinds:
        peer = target.connect_http2()
        for i in range(count):
            stream = 2 * i + 1
            peer.send(http2.headers(stream, http2.request(method, ("grpc-encoding", name))))
            peer.send(http2.data(stream, http2.message(content, flag=1)))
            target.expect(
                peer.wait(lambda peer=peer, i=i: peer.answered > i or peer.is_closed) and not peer.is_closed,
                f"{method}, {name}, {len(content)} bytes: no answer, {peer.goaway}",
            )
            if peer.is_closed:
                break
        peer.close()
    report = target.program.report()
    target.expect(report["started_handlers"] == 0, f"{report['started_handlers']} handlers ran")
    most = count * len(kinds) * OPTIONS["max_message_bytes"]
    target.expect(report["decompressed_bytes"] <= most, f"{report['decompressed_bytes']} bytes were decompressed")
    target.note(f"{count * len(kinds)} bombs, {report['decompressed_bytes'] // MIB} MiB decompressed")
