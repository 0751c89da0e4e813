# SPDX-License-Identifier: MIT
"""A server of gRPC whose responses are wrong, each on a stream of its own.

Bounds: each call ends once, with the status that docs/protocols.md has for it, and the connection goes on; 16 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 16 * MIB
OK, CANCELLED, UNKNOWN, NOT_FOUND, EXHAUSTED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE = 0, 1, 2, 5, 8, 12, 13, 14


def begun(stream, *more):
    return http2.headers(stream, http2.leading(*more))


def message(stream, content=b"x", **options):
    return http2.data(stream, http2.message(content, **options), ends=False)


def fields(stream, *pairs, ends=True):
    return http2.headers(stream, http2.fields(*pairs), ends=ends)


RESPONSES = {
    "no grpc-status": (UNKNOWN, lambda id: begun(id) + message(id) + fields(id, ("a", "b"))),
    "no trailers": (INTERNAL, lambda id: begun(id) + http2.data(id, http2.message(b"x"))),
    "empty trailers": (UNKNOWN, lambda id: begun(id) + message(id) + http2.headers(id, b"", ends=True)),
    "an empty grpc-status": (UNKNOWN, lambda id: begun(id) + message(id) + http2.trailers(id, status="")),
    "grpc-status of letters": (UNKNOWN, lambda id: begun(id) + message(id) + http2.trailers(id, status="ok")),
    "grpc-status of bytes": (UNKNOWN, lambda id: begun(id) + message(id) + http2.trailers(id, status=b"\xff\xfe")),
    "grpc-status 99": (UNKNOWN, lambda id: begun(id) + message(id) + http2.trailers(id, status="99")),
    "grpc-status of 20 digits": (UNKNOWN, lambda id: begun(id) + message(id) + http2.trailers(id, status="9" * 20)),
    "grpc-status twice": (UNKNOWN, lambda id: begun(id) + message(id) + http2.trailers(id, ("grpc-status", "5"))),
    "grpc-status in the headers": (UNKNOWN, lambda id: begun(id, ("grpc-status", "0")) + fields(id, ("a", "b"))),
    "no message": (UNIMPLEMENTED, lambda id: begun(id) + http2.trailers(id)),
    "an error behind a message": (NOT_FOUND, lambda id: begun(id) + message(id) + http2.trailers(id, status="5")),
    "two messages": (UNIMPLEMENTED, lambda id: begun(id) + 2 * message(id) + http2.trailers(id)),
    "a message that is longer than announced": (
        INTERNAL,
        lambda id: begun(id) + message(id, b"abcdefgh", length=3) + http2.trailers(id),
    ),
    "a message that is shorter than announced": (
        INTERNAL,
        lambda id: begun(id) + message(id, b"x", length=100) + http2.trailers(id),
    ),
    "half a prefix": (INTERNAL, lambda id: begun(id) + http2.data(id, b"\0\0", ends=False) + http2.trailers(id)),
    "a message of 4 GiB": (EXHAUSTED, lambda id: begun(id) + message(id, b"x", length=(1 << 32) - 1)),
    "a bad flag": (INTERNAL, lambda id: begun(id) + message(id, flag=2)),
    "compression that was not announced": (INTERNAL, lambda id: begun(id) + message(id, flag=1)),
    "an unknown encoding": (INTERNAL, lambda id: begun(id, ("grpc-encoding", "nothing")) + message(id, flag=1)),
    "an unknown codec": (
        INTERNAL,
        lambda id: fields(id, (":status", "200"), ("content-type", "application/grpc+nothing"), ends=False),
    ),
    "content-length that is too long": (INTERNAL, lambda id: begun(id, ("content-length", "1")) + message(id)),
    "content-length that is no number": (INTERNAL, lambda id: begun(id, ("content-length", "x"))),
    "DATA without headers": (INTERNAL, lambda id: message(id)),
    "headers twice": (INTERNAL, lambda id: begun(id) + begun(id)),
    "trailers with :status": (INTERNAL, lambda id: begun(id) + fields(id, (":status", "200"), ("grpc-status", "0"))),
    "no :status": (INTERNAL, lambda id: fields(id, ("grpc-status", "0"))),
    "an interim response at the end": (INTERNAL, lambda id: fields(id, (":status", "100"))),
    "a name in capitals": (INTERNAL, lambda id: begun(id, ("Key", "x"))),
    "a value with a line feed": (INTERNAL, lambda id: begun(id, ("key", "a\nb"))),
    "base64 that is none": (INTERNAL, lambda id: begun(id, ("key-bin", "!!!"))),
    "details that are none": (
        NOT_FOUND,
        lambda id: http2.headers(
            id, http2.leading(("grpc-status", "5"), ("grpc-status-details-bin", "////")), ends=True
        ),
    ),
    "a page of HTML": (
        UNAVAILABLE,
        lambda id: fields(id, (":status", "503"), ("content-type", "text/html"), ends=False)
        + http2.data(id, b"<html>" * 5000),
    ),
    "a window that is too large": (INTERNAL, lambda id: http2.window_update(id, 0x7FFFFFFF)),
    "WINDOW_UPDATE of 0": (INTERNAL, lambda id: http2.window_update(id, 0)),
    "RST_STREAM with NO_ERROR": (INTERNAL, lambda id: http2.reset(id, 0)),
    "RST_STREAM with an unknown code": (INTERNAL, lambda id: http2.reset(id, 0xFFFFFFFF)),
    "RST_STREAM behind headers": (CANCELLED, lambda id: begun(id) + http2.reset(id)),
}


def attack(target):
    peer, answered = None, 0
    for name, (status, response) in RESPONSES.items():
        target.begin_calls(2, milliseconds=20_000)
        if peer is None:
            peer = target.accept_calls(2)
        peer.wait(lambda: len(peer.requests) == answered + 2)
        wrong, right = peer.requests[answered:]
        answered += 2
        before = target.program.report()["status"]
        # What comes late for a call that has ended is ignored.
        peer.send(response(wrong) + http2.response(right, b"x"))
        seen = dict(target.expect_ended())
        expected = dict(before)
        for code in (status, OK):
            expected[str(code)] = expected.get(str(code), 0) + 1
        target.expect(seen == expected, f"{name}: {before} became {seen}")
        target.expect(not peer.is_closed and peer.goaway is None, f"{name} ends the connection: {peer.goaway}")
    target.note(f"{len(RESPONSES)} kinds")
