# SPDX-License-Identifier: MIT
"""A server of gRPC whose frames break the rules of HTTP/2.

Bounds: each connection is ended with the code of the error, and its call ends once, with unavailable; 16 MiB.
"""

import http2
from program import MIB

SIDE = "grpc_client"
PEAK = 16 * MIB
PROTOCOL, FLOW = http2.PROTOCOL_ERROR, http2.FLOW_CONTROL_ERROR
SIZE, COMPRESSION = http2.FRAME_SIZE_ERROR, http2.COMPRESSION_ERROR
PROMISE = (2).to_bytes(4, "big") + b"\x88"
FRAMES = {
    "HEADERS on an idle stream": (PROTOCOL, lambda stream: http2.headers(stream + 2, http2.leading())),
    "HEADERS on a stream of the server": (PROTOCOL, lambda stream: http2.headers(2, http2.leading())),
    "HEADERS on no stream": (PROTOCOL, lambda stream: http2.headers(0, http2.leading())),
    "DATA on an idle stream": (PROTOCOL, lambda stream: http2.data(stream + 2, b"x")),
    "DATA on no stream": (PROTOCOL, lambda stream: http2.data(0, b"x")),
    "RST_STREAM on an idle stream": (PROTOCOL, lambda stream: http2.reset(stream + 2)),
    "WINDOW_UPDATE on an idle stream": (PROTOCOL, lambda stream: http2.window_update(stream + 2, 1)),
    "WINDOW_UPDATE of 0": (PROTOCOL, lambda stream: http2.window_update(0, 0)),
    "a window that is too large": (FLOW, lambda stream: http2.window_update(0, 0x7FFFFFFF)),
    "SETTINGS that make a window too large": (
        FLOW,
        lambda stream: http2.window_update(stream, 0x7FFF0000) + http2.initial_window(0x7FFFFFFF),
    ),
    "PUSH_PROMISE": (PROTOCOL, lambda stream: http2.frame(http2.PUSH_PROMISE, PROMISE, flags=4, stream=stream)),
    "PUSH_PROMISE in parts": (
        PROTOCOL,
        lambda stream: http2.frame(http2.PUSH_PROMISE, PROMISE, stream=stream)
        + http2.frame(http2.CONTINUATION, b"\x88", flags=4, stream=stream),
    ),
    "SETTINGS_ENABLE_PUSH 1": (PROTOCOL, lambda stream: http2.settings(_2=1)),
    "SETTINGS_INITIAL_WINDOW_SIZE 2^31": (FLOW, lambda stream: http2.settings(_4=1 << 31)),
    "SETTINGS_MAX_FRAME_SIZE 16383": (PROTOCOL, lambda stream: http2.settings(_5=16383)),
    "SETTINGS_MAX_FRAME_SIZE 2^24": (PROTOCOL, lambda stream: http2.settings(_5=1 << 24)),
    "SETTINGS of five bytes": (SIZE, lambda stream: http2.frame(http2.SETTINGS, bytes(5))),
    "SETTINGS on a stream": (PROTOCOL, lambda stream: http2.frame(http2.SETTINGS, stream=stream)),
    "SETTINGS that acknowledge and set": (SIZE, lambda stream: http2.frame(http2.SETTINGS, bytes(6), flags=http2.ACK)),
    "PING of seven bytes": (SIZE, lambda stream: http2.frame(http2.PING, bytes(7))),
    "GOAWAY of seven bytes": (SIZE, lambda stream: http2.frame(http2.GOAWAY, bytes(7))),
    "GOAWAY that rises": (PROTOCOL, lambda stream: http2.goaway(stream) + http2.goaway(stream + 2)),
    "a frame that is too long": (SIZE, lambda stream: http2.frame(http2.DATA, stream=stream, length=(1 << 24) - 1)),
    "padding beyond the frame": (PROTOCOL, lambda stream: http2.frame(http2.DATA, b"\xff", flags=8, stream=stream)),
    "CONTINUATION without HEADERS": (PROTOCOL, lambda stream: http2.frame(http2.CONTINUATION, flags=4, stream=stream)),
    "PING within a header block": (
        PROTOCOL,
        lambda stream: http2.headers(stream, b"\x88", is_whole=False) + http2.frame(http2.PING, bytes(8)),
    ),
    "HPACK index 0": (COMPRESSION, lambda stream: http2.headers(stream, b"\x80")),
    "HPACK index beyond the table": (COMPRESSION, lambda stream: http2.headers(stream, http2.indexed(1000))),
    "HPACK table that is too large": (COMPRESSION, lambda stream: http2.headers(stream, http2.integer(1 << 20, 5, 32))),
    "HPACK integer without end": (COMPRESSION, lambda stream: http2.headers(stream, b"\xff" * 100)),
    "HPACK string beyond the block": (COMPRESSION, lambda stream: http2.headers(stream, b"\x00\x7f\xff\xff\x7fx")),
    "a header block that is too long": (SIZE, lambda stream: http2.headers(stream, bytes(100_000))),
}


def attack(target):
    for name, (code, frames) in FRAMES.items():
        target.begin_calls(1, milliseconds=8000)
        peer = target.accept_calls()
        peer.send(frames(peer.requests[0]))
        target.expect_goaway(peer, code, f"{name} does not end the connection with {code}")
        peer.close()
        target.expect_ended(status=14)
    target.note(f"{len(FRAMES)} kinds")
