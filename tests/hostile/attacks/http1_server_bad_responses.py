# SPDX-License-Identifier: MIT
"""A server of HTTP/1.1 whose responses are malformed, endless, cut off, too long, or decompress to 64 MiB.

Bounds: each call ends once and fails, with its deadline at the latest; its connection ends, unless the response was whole
and only its content was wrong; 48 MiB.
"""

import gzip

from program import MIB

SIDE = "connect_client"
OPTIONS = {"max_message_bytes": 8 * MIB}
PEAK = 48 * MIB
# The C library gives nothing back below twice the longest message that it has freed.
KEPT = 24 * MIB

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

# Nothing but the deadline of the call ends what goes on for ever.
UNFINISHED = (
    b"",
    bytes(1000),
    HEAD + b"Content-Length: 8388608\r\n\r\n" + bytes(MIB),
    CHUNKED + b"800000\r\n" + bytes(8 * MIB) + b"\r\n1\r\n",
)
MALFORMED = (
    b"HTTP/1.1 200 OK\r\n" + b"A: b\r\n" * 1_000_000,
    b"HTTP/1.1 200 " + b"x" * MIB,
    b"HTTP/1.1 103 Early Hints\r\n\r\n" * 100_000,
    b"HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n",
    HEAD + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\nxx",
    HEAD + b"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\nx",
    HEAD + b"Content-Length: 18446744073709551616\r\n\r\n",
    HEAD + b"Content-Length: 9223372036854775807\r\n\r\n" + bytes(MIB),
    HEAD + b"\r\n" + bytes(16 * MIB),
    CHUNKED + b"1;" + b"x" * MIB,
    CHUNKED + b"1;xxxxxxxxxxxxxxxxxxxxxxxxxxxxx\r\nx\r\n" * 100_000,
    CHUNKED + b"ffffffffffffffff\r\nx",
    CHUNKED + b"0\r\n" + b"A: b\r\n" * 1_000_000,
)


def attack(target):
    bomb = gzip.compress(bytes(64 * MIB), 9)
    compressed = HEAD + b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(bomb)
    # The client may keep the connection of a whole response for further calls, and closes it after 50 s of rest.
    whole = (compressed + bomb, compressed + bytes(len(bomb)))
    for number, response in enumerate((*UNFINISHED, *MALFORMED, *whole)):
        target.begin_calls(1, milliseconds=800 if response in UNFINISHED else 2000)
        peer = target.accept_request()
        peer.send(response)
        if response in whole:
            target.expect_report(lambda now, number=number: now["ended"] == number + 1, f"call {number} has not ended")
        else:
            target.expect(peer.read_all() is not None, f"the client keeps the connection of response {number}")
        peer.close()
        # Until the call has ended the client tries again.
        target.drain(lambda number=number: target.program.report()["ended"] == number + 1)
    statuses = target.expect_ended()
    target.expect("0" not in statuses, f"calls succeeded: {statuses}")
    target.note(f"statuses {statuses}")
