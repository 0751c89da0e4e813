# SPDX-License-Identifier: MIT
"""WebSocketPeer: a connection that sends frames of WebSocket as it likes, and counts what comes back."""

import struct

import websocket
import wire
from peer import Peer


class WebSocketPeer(Peer):
    """The native frames in what comes are counted as those of a Peer are. `is_server`: the other side is a client."""

    def __init__(self, *arguments, is_server=False):
        super().__init__(*arguments)
        self.is_server = is_server
        self.head = None  # of the other side's request or response
        self.raw = bytearray()  # frames that are incomplete
        self.close_code = None
        self.pongs = 0
        self.content = b""  # native frames that are incomplete

    def greet(self, **hello):
        """The handshake, and preface and hello in a message."""
        if not self.is_server:
            self.send(websocket.request())
        self.wait(lambda: self.head is not None)
        if self.is_server:
            self.send(websocket.response_to(self.head))
        self.send_message(wire.PREFACE + wire.hello(**hello))
        return self

    def send_message(self, content):
        return self.send(websocket.frame(websocket.BINARY, content, masked=not self.is_server))

    @property
    def status(self):
        """Of the other side's response."""
        return int(self.head.split(b" ", 2)[1]) if self.head is not None else None

    def _parse(self):
        self.raw += self.input
        self.input.clear()
        if self.head is None:
            end = self.raw.find(b"\r\n\r\n")
            if end < 0:
                return
            self.head = bytes(self.raw[: end + 4])
            del self.raw[: end + 4]
        self.input += self.content + self._content()
        self.content = b""
        super()._parse()
        self.content = bytes(self.input)
        self.input.clear()

    def _content(self):
        """Of the whole frames that have come."""
        content = bytearray()
        at = 0
        while len(self.raw) - at >= 2:
            opcode, size, begin = self.raw[at] & 15, self.raw[at + 1] & 127, at + 2
            masked = self.raw[at + 1] >> 7
            if size >= 126:
                count = 2 if size == 126 else 8
                size = int.from_bytes(self.raw[begin : begin + count], "big")
                begin += count
            begin += 4 * masked
            if len(self.raw) < begin + size:
                break
            payload = self.raw[begin : begin + size]
            if masked:
                key = self.raw[begin - 4 : begin]
                payload = bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))
            at = begin + size
            if opcode == websocket.CLOSE:
                self.close_code = struct.unpack(">H", payload[:2])[0] if payload else 1005
            elif opcode == websocket.PONG:
                self.pongs += 1
            else:
                content += payload
        del self.raw[:at]
        return bytes(content)
