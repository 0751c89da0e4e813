# SPDX-License-Identifier: MIT
"""Frames of WebSocket as bytes, right or wrong."""

import base64
import hashlib
import struct

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
KEY = "dGhlIHNhbXBsZSBub25jZQ=="
MASK = b"\x11\x22\x33\x44"


def request(extra="", *, path="/", key=KEY, version="13", protocol="trunkline.v1"):
    return (
        f"GET {path} HTTP/1.1\r\nHost: localhost\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: {version}\r\n"
        f"Sec-WebSocket-Protocol: {protocol}\r\n{extra}\r\n"
    ).encode()


def response_to(head):
    """What a server answers to the request of a client."""
    fields = dict(line.split(": ", 1) for line in head.decode().split("\r\n")[1:] if line)
    digest = hashlib.sha1(f"{fields['Sec-WebSocket-Key']}258EAFA5-E914-47DA-95CA-C5AB0DC85B11".encode()).digest()
    return (
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Accept: {base64.b64encode(digest).decode()}\r\nSec-WebSocket-Protocol: trunkline.v1\r\n\r\n"
    ).encode()


def frame(opcode, payload=b"", *, last=True, masked=True, reserved=0, length=None, length_bytes=None):
    """`length`: announced instead of the payload's; `length_bytes`: 0, 2 or 8 instead of what is needed."""
    size = len(payload) if length is None else length
    if length_bytes is None:
        length_bytes = 0 if size < 126 else 2 if size < 1 << 16 else 8
    first = (0x80 if last else 0) | reserved << 4 | opcode
    second = (0x80 if masked else 0) | (size if length_bytes == 0 else 126 if length_bytes == 2 else 127)
    out = bytes((first, second)) + (size.to_bytes(length_bytes, "big") if length_bytes else b"")
    if not masked:
        return out + payload
    repeated = int.from_bytes((MASK * (len(payload) // 4 + 1))[: len(payload)], "big")
    content = (int.from_bytes(payload, "big") ^ repeated).to_bytes(len(payload), "big")
    return out + MASK + content


def close(code, reason=b""):
    return frame(CLOSE, struct.pack(">H", code) + reason)
