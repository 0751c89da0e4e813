# SPDX-License-Identifier: MIT
"""Http2Peer: a connection that sends HTTP/2 as it likes, and counts what comes back."""

import collections

import http2
from peer import Peer


class Http2Peer(Peer):
    """`kinds` counts frames by type; PING and SETTINGS that acknowledge are in `acks`."""

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.acks = collections.Counter()
        self.resets = collections.Counter()  # RST_STREAM by code
        self.responses = 0  # streams that the server has ended with HEADERS
        self.settings = 0

    def greet(self, first=b""):
        self.send(http2.PREFACE + http2.settings() + first)
        return self

    @property
    def answered(self):
        return self.responses + sum(self.resets.values())

    def _parse(self):
        at = 0
        while len(self.input) - at >= 9:
            length = int.from_bytes(self.input[at : at + 3], "big")
            if len(self.input) - at - 9 < length:
                break
            kind, flags = self.input[at + 3], self.input[at + 4]
            payload = bytes(self.input[at + 9 : at + 9 + length])
            at += 9 + length
            self.kinds[kind] += 1
            if kind in (http2.PING, http2.SETTINGS) and flags & http2.ACK:
                self.acks[kind] += 1
            elif kind == http2.SETTINGS:
                self.settings += 1
            elif kind == http2.RST_STREAM:
                self.resets[int.from_bytes(payload, "big")] += 1
            elif kind == http2.HEADERS and flags & http2.END_STREAM:
                self.responses += 1
            elif kind == http2.GOAWAY:
                self.goaway = (int.from_bytes(payload[4:8], "big"), payload[8:].decode(errors="replace"))
            elif kind == http2.DATA:
                self.message_bytes += length
        del self.input[:at]
