# SPDX-License-Identifier: MIT
"""The native protocol (docs/wire.md) as bytes: frames are written as they are asked for, right or wrong."""

import struct

PREFACE = b"\xf5TRKL\r\n\x01"
HEADER = struct.Struct("<IBBBBII")  # length, type, flags, codec, compressor, call, number

HELLO, CALL, MESSAGE, FINISH, CANCEL, CREDIT, PING, PONG, GOAWAY = range(1, 10)
HEADERS, HAS_MESSAGE, MORE, END, ONE_WAY, UNPROCESSED = 0x01, 0x02, 0x04, 0x08, 0x10, 0x20
OK, CANCELLED, DEADLINE_EXCEEDED, RESOURCE_EXHAUSTED, UNIMPLEMENTED, INTERNAL, UNAVAILABLE = 0, 1, 4, 8, 12, 13, 14

# Fields of hello and of header blocks.
VERSION, MAX_FRAME, MAX_MESSAGE, MAX_CALLS, CONNECTION_CREDIT, CALL_CREDIT = 1, 2, 3, 4, 5, 6
MAX_HEADER, MAX_METHODS, CODEC, COMPRESSOR, FEATURE, ORDERED = 7, 8, 9, 10, 11, 12
METHOD, TIMEOUT, METADATA, MESSAGE_BYTES, STATUS_MESSAGE, STATUS_DETAIL = 1, 2, 3, 4, 5, 6

# What a side may assume of its peer before the peer's hello.
EARLY_CONNECTION_CREDIT, EARLY_CALL_CREDIT = 1 << 20, 64 << 10

# The numbers of the codecs in hello() below.
BYTES, JSON, MSGPACK = 1, 2, 3
CODECS = ("bytes", "json", "msgpack")
COMPRESSORS = ("snappy", "zstd", "lz4", "gzip")


def leb128(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    out.append(value)
    return bytes(out)


def read_leb128(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def integer(value):
    return value.to_bytes(max(1, (value.bit_length() + 7) // 8), "little")


def field(tag, value):
    if isinstance(value, int):
        value = integer(value)
    elif isinstance(value, str):
        value = value.encode()
    return bytes([tag]) + leb128(len(value)) + value


def fields(data):
    """(tag, value) for each field."""
    at, found = 0, []
    while at < len(data):
        tag = data[at]
        size, at = read_leb128(data, at + 1)
        found.append((tag, data[at : at + size]))
        at += size
    return found


def header_block(content):
    return struct.pack("<I", len(content)) + content


def metadata(name, value):
    name, value = name.encode(), value if isinstance(value, bytes) else value.encode()
    return field(METADATA, bytes([len(name)]) + name + value)


def frame(kind, body=b"", *, flags=0, codec=0, compressor=0, call=0, number=0, length=None):
    """`length` is what the header says if that differs from the size of the body."""
    return HEADER.pack(len(body) if length is None else length, kind, flags, codec, compressor, call, number) + body


def hello(*, connection_credit=None, call_credit=None, compressors=COMPRESSORS, extra=b""):
    body = field(VERSION, 1)
    if connection_credit is not None:
        body += field(CONNECTION_CREDIT, connection_credit)
    if call_credit is not None:
        body += field(CALL_CREDIT, call_credit)
    body += b"".join(field(CODEC, name) for name in CODECS)
    body += b"".join(field(COMPRESSOR, name) for name in compressors)
    return frame(HELLO, body + extra)


def call(
    number, method, message=b"", *, flags=HAS_MESSAGE | END, codec=BYTES, compressor=0, method_number=0, block=b""
):
    """A call: `method` is a name, or None if method_number was taught before. `block`: more fields of its headers."""
    content = (b"" if method is None else field(METHOD, method)) + block
    body = b""
    if content:
        flags |= HEADERS
        body = header_block(content)
    if not flags & HAS_MESSAGE:
        codec = compressor = 0
    return frame(
        CALL, body + message, flags=flags, codec=codec, compressor=compressor, call=number, number=method_number
    )


def first_chunk(number, method, chunk, message_bytes, *, codec=BYTES, compressor=0):
    """The call of a message that has message_bytes in all and begins with `chunk`."""
    return call(
        number, method, chunk, flags=HAS_MESSAGE | MORE, codec=codec, compressor=compressor,
        block=field(MESSAGE_BYTES, message_bytes),
    )  # fmt: skip


def message(number, data, *, flags=HAS_MESSAGE, codec=BYTES, compressor=0, block=b""):
    """A message, or a chunk of one; chunks after the first one have codec 0."""
    body = data
    if block:
        flags |= HEADERS
        body = header_block(block) + data
    return frame(MESSAGE, body, flags=flags, codec=codec, compressor=compressor, call=number)


def cancel(number):
    return frame(CANCEL, call=number, number=CANCELLED)


def credit(number, amount):
    """For a call, or for the connection: 0."""
    return frame(CREDIT, call=number, number=amount)


def ping(value=b"8 bytes!"):
    return frame(PING, value)


def costs(data):
    """The connection credit that the frames cost (section 8)."""
    cost = at = 0
    while at < len(data):
        length, kind, flags = struct.unpack_from("<IBB", data, at)
        if kind in (CALL, MESSAGE) or kind == FINISH and flags & HAS_MESSAGE:
            cost += HEADER.size + length
        at += HEADER.size + length
    return cost


# --- compressed messages (section 7) ---


def zstd_run(size):
    """`size` equal bytes as one zstd frame: 4 bytes for each 128 KiB."""
    block = 128 << 10
    out = bytearray(b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", size))
    left = size
    while True:
        part = min(left, block)
        left -= part
        out += struct.pack("<I", (left == 0) | 1 << 1 | part << 3)[:3] + b"x"
        if left == 0:
            return bytes(out)


def zstd_raw(data):
    """`data` as one zstd frame that is longer than the data."""
    block = 128 << 10
    out = bytearray(b"\x28\xb5\x2f\xfd\xa0" + struct.pack("<I", len(data)))
    for at in range(0, len(data), block):
        part = data[at : at + block]
        out += struct.pack("<I", (at + block >= len(data)) | len(part) << 3)[:3] + part
    return bytes(out)


def compressed(size, content):
    """A compressed message that says that it decompresses to `size` bytes."""
    return leb128(size) + content
