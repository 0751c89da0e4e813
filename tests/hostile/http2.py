# SPDX-License-Identifier: MIT
"""HTTP/2 (RFC 9113) and gRPC as bytes: frames are written as they are asked for, right or wrong."""

import collections
import struct

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, PRIORITY, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = range(10)
END_STREAM, ACK, END_HEADERS = 0x1, 0x1, 0x4
PROTOCOL_ERROR, FLOW_CONTROL_ERROR, STREAM_CLOSED, FRAME_SIZE_ERROR, REFUSED_STREAM, CANCEL = 1, 3, 5, 6, 7, 8
COMPRESSION_ERROR, ENHANCE_YOUR_CALM = 9, 11
INITIAL_WINDOW, MAX_FRAME, FIRST_WINDOW = 4, 16384, 65535
FIRST_DYNAMIC = 62
"""The index of the newest entry of HPACK's dynamic table."""


def frame(kind, payload=b"", *, flags=0, stream=0, length=None):
    """`length` is what the header says if that differs from the size of the payload."""
    size = len(payload) if length is None else length
    return struct.pack(">I", size)[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def settings(**values):
    return frame(SETTINGS, b"".join(struct.pack(">HI", int(key[1:]), value) for key, value in values.items()))


def initial_window(size):
    return frame(SETTINGS, struct.pack(">HI", INITIAL_WINDOW, size))


def settings_in(payload):
    """Number: value."""
    return dict(struct.iter_unpack(">HI", payload))


def data_bytes(frames):
    """What the DATA frames take of the window of each stream."""
    total, at = collections.Counter(), 0
    while at < len(frames):
        length = int.from_bytes(frames[at : at + 3], "big")
        if frames[at + 3] == DATA:
            total[int.from_bytes(frames[at + 5 : at + 9], "big")] += length
        at += 9 + length
    return total


def window_update(stream, increment):
    return frame(WINDOW_UPDATE, struct.pack(">I", increment), stream=stream)


def goaway(last, code=0, debug_data=b""):
    return frame(GOAWAY, struct.pack(">II", last, code) + debug_data)


def reset(stream, code=CANCEL):
    return frame(RST_STREAM, struct.pack(">I", code), stream=stream)


# --- HPACK (RFC 7541): literals without Huffman codes ---


def integer(value, bits, first=0):
    most = (1 << bits) - 1
    if value < most:
        return bytes([first | value])
    out, value = bytearray([first | most]), value - most
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out) + bytes([value])


def text(value):
    value = value if isinstance(value, bytes) else value.encode()
    return integer(len(value), 7) + value


def field(name, value, *, is_kept=False):
    """A literal. `is_kept`: it enters the dynamic table."""
    return bytes([0x40 if is_kept else 0]) + text(name) + text(value)


def indexed(number):
    return integer(number, 7, 0x80)


def fields(*pairs):
    return b"".join(field(name, value) for name, value in pairs)


# --- gRPC ---


def request(method, *more):
    """The header block of a call of the bytes codec."""
    return fields(
        (":method", "POST"), (":scheme", "http"), (":path", "/" + method), (":authority", "a"),
        ("content-type", "application/grpc+bytes"), ("te", "trailers"), *more,
    )  # fmt: skip


def headers(stream, block, *, ends=False, is_whole=True):
    return frame(
        HEADERS, block, flags=(END_STREAM if ends else 0) | (END_HEADERS if is_whole else 0), stream=stream
    )


def long_headers(stream, block, *, ends=False):
    """A block in frames of at most MAX_FRAME bytes."""
    first, *rest = [block[at : at + MAX_FRAME] for at in range(0, len(block), MAX_FRAME)]
    frames = headers(stream, first, ends=ends, is_whole=not rest)
    for number, part in enumerate(rest, 1):
        frames += frame(CONTINUATION, part, flags=END_HEADERS if number == len(rest) else 0, stream=stream)
    return frames


def message(content, *, flag=0, length=None):
    return struct.pack(">BI", flag, len(content) if length is None else length) + content


def data(stream, content, *, ends=True):
    """DATA of at most MAX_FRAME bytes each."""
    parts = [content[at : at + MAX_FRAME] for at in range(0, len(content), MAX_FRAME)] or [b""]
    last = len(parts) - 1
    return b"".join(
        frame(DATA, part, flags=END_STREAM if ends and i == last else 0, stream=stream) for i, part in enumerate(parts)
    )


def call(stream, method, content=b"", *more):
    return headers(stream, request(method, *more)) + data(stream, message(content))


def leading(*more):
    """The header block of a response of the bytes codec."""
    return fields((":status", "200"), ("content-type", "application/grpc+bytes"), *more)


def trailers(stream, *more, status="0"):
    return headers(stream, fields(("grpc-status", status), *more), ends=True)


def response(stream, content=b"", *more):
    return headers(stream, leading(*more)) + data(stream, message(content), ends=False) + trailers(stream)
