# SPDX-License-Identifier: MIT
"""Http2Peer: a connection that sends HTTP/2 as it likes, and counts what comes back."""

import collections
import time

import http2
from peer import Peer


class Http2Peer(Peer):
    """`kinds` counts frames by type; PING and SETTINGS that acknowledge are in `acks`. `is_server`: the other side is a
    client, whose frames come behind its preface."""

    def __init__(self, *arguments, is_server=False):
        super().__init__(*arguments)
        self.is_server = is_server
        self.has_preface = not is_server
        self.requests = []  # streams whose last frame has come, in order
        self.acks = collections.Counter()
        self.resets = collections.Counter()  # RST_STREAM by code
        self.responses = 0  # streams that the server has ended with HEADERS
        self.settings = 0
        self.credit = http2.FIRST_WINDOW  # of the connection
        self.stream_window = http2.FIRST_WINDOW  # of each stream, before its WINDOW_UPDATE frames
        self.window_used = collections.Counter()  # by stream: bytes of DATA less those of WINDOW_UPDATE

    def greet(self, first=b""):
        self.send((b"" if self.is_server else http2.PREFACE) + http2.settings() + first)
        return self

    def serve_requests(self, respond, done, seconds=None):
        """Sends what `respond(stream)` returns for each whole request, until `done()` or the end of the connection.
        False: neither has come in time."""
        answered = 0
        end = time.monotonic() + (self.patience if seconds is None else seconds)
        while not done() and not self.is_closed and time.monotonic() < end:
            self.wait(lambda count=answered: len(self.requests) > count, 0.05)
            fresh, answered = self.requests[answered:], len(self.requests)
            if fresh and not self.send(b"".join(respond(stream) for stream in fresh)):
                break
        return done() or self.is_closed

    # flood() keeps to the windows of the streams and of the connection.

    def costs(self, chunk):
        return http2.data_bytes(chunk)

    def has_credit(self, cost):
        return self.credit >= sum(cost.values()) and all(
            self.window_used[stream] + count <= self.stream_window for stream, count in cost.items()
        )

    def take_credit(self, cost):
        self.credit -= sum(cost.values())
        self.window_used.update(cost)

    @property
    def answered(self):
        return self.responses + sum(self.resets.values())

    def _parse(self):
        at = 0
        if not self.has_preface:
            if len(self.input) < len(http2.PREFACE):
                return
            self.has_preface, at = True, len(http2.PREFACE)
        while len(self.input) - at >= 9:
            length = int.from_bytes(self.input[at : at + 3], "big")
            if len(self.input) - at - 9 < length:
                break
            kind, flags = self.input[at + 3], self.input[at + 4]
            stream = int.from_bytes(self.input[at + 5 : at + 9], "big")
            payload = bytes(self.input[at + 9 : at + 9 + length])
            at += 9 + length
            self.kinds[kind] += 1
            if kind in (http2.HEADERS, http2.DATA) and flags & http2.END_STREAM and self.is_server:
                self.requests.append(stream)
            if kind in (http2.PING, http2.SETTINGS) and flags & http2.ACK:
                self.acks[kind] += 1
            elif kind == http2.SETTINGS:
                self.settings += 1
                self.stream_window = http2.settings_in(payload).get(http2.INITIAL_WINDOW, self.stream_window)
            elif kind == http2.WINDOW_UPDATE:
                increment = int.from_bytes(payload, "big")
                if stream == 0:
                    self.credit += increment
                else:
                    self.window_used[stream] -= increment
            elif kind == http2.RST_STREAM:
                self.resets[int.from_bytes(payload, "big")] += 1
            elif kind == http2.HEADERS and flags & http2.END_STREAM:
                self.responses += 1
            elif kind == http2.GOAWAY:
                self.goaway = (int.from_bytes(payload[4:8], "big"), payload[8:].decode(errors="replace"))
            elif kind == http2.DATA:
                self.message_bytes += length
        del self.input[:at]
