# SPDX-License-Identifier: MIT
"""Peer: a connection that sends what it likes, and counts what comes back."""

import collections
import select
import socket
import struct
import time

import wire

PATIENCE = 60.0
"""Seconds after which a condition is given up; conditions usually hold within milliseconds."""


def poll(sock, reads, writes, seconds):
    """Waits until the socket is readable or writable; which of both it is. An error counts as both."""
    poller = select.poll()
    poller.register(sock, (select.POLLIN if reads else 0) | (select.POLLOUT if writes else 0))
    events = sum(event for _, event in poller.poll(seconds * 1000))
    is_over = events & (select.POLLERR | select.POLLHUP)
    return bool(reads and (events & select.POLLIN or is_over)), bool(writes and (events & select.POLLOUT or is_over))


class Peer:
    """Both sides of attacks use it: it connects to a server, or it is what has connected to a hostile server.

    `sent_bytes` is called with every number of bytes sent. All functions return or fail after `patience` seconds.
    """

    def __init__(self, sock, sent_bytes=lambda count: None, patience=PATIENCE):
        self.socket = sock
        self.patience = patience
        self.count_sent = sent_bytes
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = bytearray()
        self.outbox = bytearray()  # of on_frame, for whoever sends it
        self.last_id = 0
        self.methods = {}
        self.has_preface = False
        self.is_closed = False
        self.sends_failed = False
        self.kinds = collections.Counter()  # frames by type
        self.statuses = collections.Counter()  # finished calls by status
        self.finished = {}  # call: status, if keeps_calls
        self.keeps_calls = False
        self.message_bytes = 0
        self.goaway = None  # (code, reason)
        self.hello = None  # fields
        self.credit = wire.EARLY_CONNECTION_CREDIT  # what is left to send
        self.call_credit = collections.Counter()
        self.on_frame = None  # called with (type, flags, call, number, body)

    # --- frames ---

    def call(self, method, message=b"", **options):
        """The frame of a new call: the method's name once, its number from then on. For options see wire.call()."""
        self.last_id += 1
        number = self.methods.get(method)
        name = method if number is None else None
        if number is None:
            number = self.methods[method] = len(self.methods) + 1
        return wire.call(self.last_id, name, message, method_number=number, **options)

    # --- sending ---

    def greet(self, **hello):
        self.send(wire.PREFACE + wire.hello(**hello))
        return self

    def send(self, data):
        """Sends everything and reads meanwhile; False if the peer has closed."""
        return self._push(data, reads=True) == len(data)

    def push(self, data, stall=1.0):
        """Sends without reading, until nothing has been taken for `stall` seconds; how much was taken."""
        return self._push(data, reads=False, stall=stall)

    def _push(self, data, *, reads, stall=None):
        view, at = memoryview(data), 0
        limit = self.patience if stall is None else stall
        last = time.monotonic()
        while at < len(view) and not self.sends_failed:
            left = last + limit - time.monotonic()
            if left <= 0:
                if stall is None:
                    raise TimeoutError(f"the peer took {at} of {len(view)} bytes and nothing more for {limit:g} s")
                break
            readable, writable = poll(self.socket, reads and not self.is_closed, True, left)
            if readable:
                self.receive()
            if writable:
                try:
                    count = self.socket.send(view[at : at + (256 << 10)])
                except BlockingIOError:
                    continue
                except OSError:
                    self.sends_failed = True
                    break
                at, last = at + count, time.monotonic()
        self.count_sent(at)
        return at

    def flood(self, chunks):
        """Sends chunks of whole frames, each when the connection's credit suffices; how many were sent until the peer
        closed, or granted nothing for `patience` seconds."""
        sent = 0
        for chunk in chunks:
            cost = self.costs(chunk)
            if not self.wait(lambda: self.has_credit(cost)) or not self.send(chunk):
                break
            self.take_credit(cost)
            sent += 1
        return sent

    def costs(self, chunk):
        return wire.costs(chunk)

    def has_credit(self, cost):
        return self.credit >= cost

    def take_credit(self, cost):
        self.credit -= cost

    # --- receiving ---

    def wait(self, condition, seconds=None):
        """Reads until the condition holds; False if the peer closed first, or the time is over."""
        end = time.monotonic() + (self.patience if seconds is None else seconds)
        while not condition():
            left = end - time.monotonic()
            if self.is_closed or left <= 0:
                return bool(condition())
            if poll(self.socket, True, False, left)[0]:
                self.receive()
        return True

    def wait_closed(self, seconds=None):
        return self.wait(lambda: self.is_closed, seconds)

    def receive(self):
        """Takes what has arrived."""
        try:
            data = self.socket.recv(1 << 20)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.is_closed = True
            return
        self.input += data
        self._parse()

    def _parse(self):
        at = 0
        if not self.has_preface:
            if len(self.input) < len(wire.PREFACE):
                return
            self.has_preface, at = True, len(wire.PREFACE)
        while len(self.input) - at >= wire.HEADER.size:
            length, kind, flags, _, _, call, number = wire.HEADER.unpack_from(self.input, at)
            if len(self.input) - at - wire.HEADER.size < length:
                break
            begin = at + wire.HEADER.size
            at = begin + length
            self.kinds[kind] += 1
            if kind == wire.CREDIT:
                if call == 0:
                    self.credit += number
                else:
                    self.call_credit[call] += number
            elif kind == wire.FINISH:
                self.statuses[number] += 1
                if self.keeps_calls:
                    self.finished[call] = number
            elif kind == wire.HELLO:
                self._learn(bytes(self.input[begin:at]))
            elif kind == wire.GOAWAY:
                self.goaway = (number, bytes(self.input[begin:at]).decode(errors="replace"))
            if kind in (wire.MESSAGE, wire.FINISH):
                self.message_bytes += length
            if self.on_frame is not None:
                self.on_frame(kind, flags, call, number, bytes(self.input[begin:at]))
        del self.input[:at]

    def _learn(self, body):
        self.hello = {tag: value for tag, value in wire.fields(body) if tag not in (wire.CODEC, wire.COMPRESSOR)}
        granted = self.hello.get(wire.CONNECTION_CREDIT)
        if granted is not None:
            self.credit += int.from_bytes(granted, "little") - wire.EARLY_CONNECTION_CREDIT

    @property
    def finishes(self):
        return sum(self.statuses.values())

    # --- the end ---

    def reset(self):
        """Closes with RST: what the other side still sends is answered by an error."""
        try:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        except OSError:
            pass
        self.close()

    def half_close(self):
        try:
            self.socket.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def close(self):
        self.is_closed = True
        self.socket.close()
