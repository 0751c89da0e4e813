#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A client of the native protocol in plain sockets, written from docs/wire.md alone: one unary call, one server stream.

Usage: plain_client.py HOST PORT   (against examples/example_server)
"""

import socket
import struct
import sys

PREFACE = b"\xf5TRKL\r\n\x01"
HEADER = struct.Struct("<IBBBBII")  # length, type, flags, codec, compressor, call, number
HELLO, CALL, MESSAGE, FINISH, CANCEL, CREDIT, PING, PONG, GOAWAY = range(1, 10)
HEADERS, HAS_MESSAGE, MORE, END = 0x01, 0x02, 0x04, 0x08


def leb128(value):
    out = b""
    while value >= 0x80:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def read_leb128(data, at):
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


def field(tag, value):
    return bytes([tag]) + leb128(len(value)) + value


def fields(data):
    at, found = 0, []
    while at < len(data):
        tag = data[at]
        size, at = read_leb128(data, at + 1)
        found.append((tag, data[at : at + size]))
        at += size
    return found


class Client:
    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=10)
        self.codecs, self.methods, self.last_id = [], {}, 0
        self.socket.sendall(PREFACE)
        self.send(HELLO, body=field(0x01, b"\x01") + field(0x09, b"protobuf"))
        assert self.read(8) == PREFACE, "not a server of version 1"
        header, body = self.frame()
        assert header[1] == HELLO, "hello comes first"
        self.codecs = [value.decode() for tag, value in fields(body) if tag == 0x09]

    def read(self, size):
        data = b""
        while len(data) < size:
            part = self.socket.recv(size - len(data))
            assert part, "the server has closed"
            data += part
        return data

    def send(self, kind, flags=0, codec=0, call=0, number=0, body=b""):
        self.socket.sendall(HEADER.pack(len(body), kind, flags, codec, 0, call, number) + body)

    def frame(self):
        """The next frame; pings are answered and unknown types skipped on the way."""
        while True:
            header = HEADER.unpack(self.read(HEADER.size))
            body = self.read(header[0])
            if header[1] == PING:
                self.send(PONG, body=body)
            elif header[1] == GOAWAY:
                raise ConnectionError(f"goaway {header[6]}: {body.decode()}")
            elif header[1] < 0x80 and header[1] not in (PONG, CREDIT):
                return header, body

    def call(self, method, request):
        """Yields the messages of the answer; raises if its status is not ok."""
        self.last_id += 1
        block = b""
        if method not in self.methods:
            self.methods[method] = len(self.methods) + 1
            block = field(0x01, method.encode())
            block = struct.pack("<I", len(block)) + block
        flags = END | HAS_MESSAGE | (HEADERS if block else 0)
        self.send(CALL, flags, 1, self.last_id, self.methods[method], block + request)
        message, more = b"", False
        while True:
            (length, kind, flags, codec, compressor, call, number), body = self.frame()
            assert call == self.last_id and compressor == 0
            known = {}
            if flags & HEADERS:
                size = struct.unpack_from("<I", body)[0]
                known = dict(fields(body[4 : 4 + size]))
                body = body[4 + size :]
            if flags & HAS_MESSAGE:
                assert more or self.codecs[codec - 1] == "protobuf"
                message, more = message + body, bool(flags & MORE)
                # What is taken is granted again: the message's bytes to the call, the whole frame to the connection.
                if kind == MESSAGE and body:
                    self.send(CREDIT, call=call, number=len(body))
                self.send(CREDIT, number=HEADER.size + length)
                if not more:
                    yield message
                    message = b""
            elif kind == MESSAGE:
                self.send(CREDIT, number=HEADER.size + length)
            if kind == FINISH:
                if number != 0:
                    raise RuntimeError(f"{method}: status {number}: {known.get(0x05, b'').decode()}")
                return


def main():
    client = Client(sys.argv[1], int(sys.argv[2]))
    product = list(client.call("example.Arith/Multiply", b"\x08\x06\x10\x07"))  # a: 6, b: 7
    assert product == [b"\x08\x2a"], product  # pro: 42
    product = list(client.call("example.Arith/Multiply", b"\x08\x03\x10\x03"))  # by number, now that the name is known
    assert product == [b"\x08\x09"], product
    ticks = list(client.call("example.Countdown/Start", b"\x08\x05"))  # from: 5
    assert ticks == [b"\x08\x05", b"\x08\x04", b"\x08\x03", b"\x08\x02", b"\x08\x01"], ticks
    try:
        list(client.call("example.Nobody/Knows", b""))
        raise AssertionError("an unknown method was answered")
    except RuntimeError as error:
        assert "status 12" in str(error), error
    print("unary call and server stream: ok")


if __name__ == "__main__":
    main()
