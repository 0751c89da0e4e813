# SPDX-License-Identifier: MIT
"""What attacks are given: a server or a client under attack, with the bounds that it must keep."""

import json
import socket
import time

import wire
from http1 import Http1Peer
from http2_peer import Http2Peer
from peer import PATIENCE, Peer
from program import MIB, Program
from websocket_peer import WebSocketPeer


ATTACKER, OTHER = "127.0.0.2", "127.0.0.1"
"""Attackers have another address than the connection beside them."""


class Broken(Exception):
    """A bound does not hold."""


class Skipped(Exception):
    """The build lacks what the attack needs."""


class Size:
    """How large an attack is: `full` for the table, otherwise as small as still shows something."""

    def __init__(self, is_full=False, is_sanitized=False):
        self.is_full = is_full
        self.is_sanitized = is_sanitized

    def of(self, full, short):
        if self.is_full:
            return full
        return max(1, short // 5) if self.is_sanitized else short


class Target:
    """The base of both kinds. `bounds` False: what does not hold is recorded instead of raised."""

    def __init__(self, folder, size, has_bounds):
        self.folder = folder
        self.size = size
        self.has_bounds = has_bounds
        self.sent_bytes = 0
        self.peers = []
        self.notes = []
        self.broken = []
        self.program = None  # the one that is attacked and measured
        self.patience = PATIENCE if has_bounds else 20.0

    # --- for attacks ---

    def count(self, full, short):
        return self.size.of(full, short)

    def note(self, text):
        """For the last column of the table."""
        self.notes.append(text)

    def expect(self, holds, text):
        if holds:
            return
        if self.has_bounds:
            raise Broken(text)
        self.broken.append(text)

    def expect_report(self, condition, text, seconds=None, program=None):
        """Waits until the condition holds for a report, of the attacked program by default; returns the report."""
        program = program or self.program
        end = time.monotonic() + (self.patience if seconds is None else seconds)
        while True:
            report = program.report()
            if condition(report) or time.monotonic() > end:
                self.expect(condition(report), f"{text}: {json.dumps(report)}")
                return report
            time.sleep(0.01)

    def expect_goaway(self, peer, code, text):
        """The connection is ended with that code."""
        peer.wait_closed()
        self.expect(peer.is_closed and peer.goaway is not None and peer.goaway[0] == code, f"{text}: {peer.goaway}")

    def add_sent(self, count):
        self.sent_bytes += count

    def keep(self, peer):
        self.peers.append(peer)
        return peer

    def close_peers(self):
        for peer in self.peers:
            peer.close()
        self.peers.clear()

    # --- for the runner ---

    def begin(self):
        self.program.ask("trim")
        self.program.reset_peak()
        self.rest_bytes = self.program.resident_bytes()
        self.rest_cpu = self.program.cpu_seconds()
        self.rest_descriptors = self.program.descriptors()

    def grown_bytes(self):
        return max(0, self.program.peak_bytes() - self.rest_bytes)

    def kept_bytes(self, enough):
        """What is kept after some seconds, in which memory is returned; or sooner, once it is no more than `enough`."""
        end = time.monotonic() + 30.0
        while True:
            self.program.ask("trim")
            kept = max(0, self.program.resident_bytes() - self.rest_bytes)
            if kept <= enough or time.monotonic() > end:
                return kept
            time.sleep(0.1)

    def spent_cpu(self):
        return self.program.cpu_seconds() - self.rest_cpu


class ServerTarget(Target):
    """A server, and another connection to it."""

    def __init__(self, folder, size, has_bounds, options):
        super().__init__(folder, size, has_bounds)
        self.program = Program(folder / "hostile_server", *(f"{name}={value}" for name, value in options.items()))
        ports = json.loads(self.program.read_line())
        self.port, self.tls_port, self.compressors = ports["tcp"], ports.get("tls"), ports["compressors"]
        self.bystander = Program.python("bystander.py", self.port)
        self.wait_for_echoes(20)

    # --- for attacks ---

    def needs(self, feature):
        if feature == "tls" and self.tls_port is None or feature != "tls" and feature not in self.compressors:
            raise Skipped(f"the build has no {feature}")

    def number_of(self, compressor):
        """Of a compressor, in frames of a peer with the hello of wire.hello()."""
        return wire.COMPRESSORS.index(compressor) + 1

    def socket(self, port=None, receive_buffer=None, address=ATTACKER):
        """A connection from an address of this machine."""
        sock = socket.socket()
        sock.bind((address, 0))
        if receive_buffer is not None:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        sock.settimeout(self.patience)
        sock.connect(("127.0.0.1", self.port if port is None else port))
        return sock

    def connect(self, *, greets=True, waits=True, receive_buffer=None, port=None, address=ATTACKER, **hello):
        """A peer. `greets`: has sent preface and hello; `waits`: has the server's."""
        peer = self.keep(Peer(self.socket(port, receive_buffer, address), self.add_sent, self.patience))
        if greets:
            peer.greet(**hello)
            if waits:
                self.expect(peer.wait(lambda: peer.hello is not None), "the server does not greet")
        return peer

    def connect_http2(self, *, greets=True, receive_buffer=None, first=b""):
        """A peer that speaks HTTP/2. `greets`: has sent the preface, SETTINGS and `first`, and has the server's."""
        peer = self.keep(Http2Peer(self.socket(receive_buffer=receive_buffer), self.add_sent, self.patience))
        if greets:
            peer.greet(first)
            self.expect(peer.wait(lambda: peer.settings > 0), "the server sends no SETTINGS")
        return peer

    def connect_websocket(self, *, greets=True, **hello):
        """A peer over WebSocket. `greets`: the WebSocket is open, and hellos are exchanged."""
        peer = self.keep(WebSocketPeer(self.socket(), self.add_sent, self.patience))
        if greets:
            peer.greet(**hello)
            self.expect(peer.wait(lambda: peer.hello is not None), "the server does not greet")
        return peer

    def connect_http1(self, *, receive_buffer=None):
        """A peer that sends requests of HTTP/1.1."""
        return self.keep(Http1Peer(self.socket(receive_buffer=receive_buffer), self.add_sent))

    def wait_for_echoes(self, more):
        """The other connection is served: waits until it has had `more` further responses."""
        before = self.bystander.report()["echoes"]
        end = time.monotonic() + self.patience
        while (now := self.bystander.report())["echoes"] < before + more:
            if time.monotonic() > end:
                self.expect(False, f"another connection waits for its echo: {json.dumps(now)}")
                return
            time.sleep(0.01)

    # --- for the runner ---

    def end(self):
        """The attackers leave: nothing may remain."""
        self.close_peers()
        self.program.ask("release")
        self.wait_for_echoes(3)
        self.expect_report(
            lambda now: now["connections"] <= 1 and now["running_handlers"] == 0 and now["queued_blocking_calls"] == 0,
            "the server keeps connections or calls of peers that have gone",
        )
        self.seen = self.bystander.report("stop")
        self.bystander.process.wait(PATIENCE)
        self.expect(self.seen["failures"] == 0, f"another connection failed: {self.seen['reason']}")
        self.expect_report(
            lambda now: now["connections"] == 0 and now["open_calls"] == 0, "the server keeps connections or calls"
        )
        end = time.monotonic() + self.patience
        while self.program.descriptors() > self.rest_descriptors and time.monotonic() < end:
            time.sleep(0.01)
        now, before = self.program.descriptors(), self.rest_descriptors
        self.expect(now <= before, f"{now} descriptors are open; there were {before}")

    def stop(self):
        line, code = self.program.stop()
        self.expect(code == 0, f"the server ended with code {code}: {line}")

    def kill(self):
        self.close_peers()
        self.program.kill()
        self.bystander.kill()


class ClientTarget(Target):
    """A client of a hostile server, which the attack plays, and of a healthy one beside it."""

    SCHEME = "tcp"

    def __init__(self, folder, size, has_bounds, options):
        super().__init__(folder, size, has_bounds)
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.listener.settimeout(self.patience)
        self.healthy = Program(folder / "hostile_server")
        ready = json.loads(self.healthy.read_line())
        self.healthy_port, self.compressors = ready["tcp"], ready["compressors"]
        self.program = Program(
            folder / "hostile_client",
            f"{self.SCHEME}://127.0.0.1:{self.listener.getsockname()[1]}",
            f"tcp://127.0.0.1:{self.healthy_port}",
            *(f"{name}={value}" for name, value in options.items()),
        )
        self.program.read_line()
        self.wait_for_echoes(20)

    # --- for attacks ---

    def needs(self, feature):
        if feature not in self.compressors:
            raise Skipped(f"the build has no {feature}")

    def accept(self, *, greets=True, waits=True, **hello):
        """The next connection of the client. `waits`: its hello has come."""
        peer = self.keep(Peer(self.listener.accept()[0], self.add_sent, self.patience))
        if greets:
            peer.greet(**hello)
        if waits:
            self.expect(peer.wait(lambda: peer.hello is not None), "the client does not greet")
        return peer

    def accept_for(self, seconds, **options):
        """Yields each connection that the client makes in that time. For options see accept()."""
        end = time.monotonic() + seconds
        self.listener.settimeout(0.2)
        while time.monotonic() < end:
            try:
                yield self.accept(**options)
            except TimeoutError:
                continue
        self.listener.settimeout(self.patience)

    def serve(self, peer, condition, seconds=None):
        """Sends what the peer's on_frame has put into `outbox`, until the condition holds."""
        end = time.monotonic() + (self.patience if seconds is None else seconds)
        while not condition() and time.monotonic() < end and not peer.is_closed:
            peer.wait(lambda: bool(peer.outbox), 0.05)
            output, peer.outbox = bytes(peer.outbox), bytearray()
            peer.send(output)

    def drain(self, condition):
        """Accepts and closes connections until the condition holds; that it comes to hold is a bound."""
        end = time.monotonic() + self.patience
        self.listener.settimeout(0.1)
        closed = 0
        while not condition():
            if time.monotonic() > end:
                left = json.dumps(self.program.report())
                self.expect(False, f"not over after {self.patience:g} s and {closed} further connections: {left}")
                break
            try:
                self.listener.accept()[0].close()
                closed += 1
            except TimeoutError:
                continue
        self.listener.settimeout(self.patience)

    def begin_calls(self, count, size=8, milliseconds=0):
        self.program.ask(f"call {count} {size} {milliseconds}")

    def begin_streams(self, count, milliseconds=0):
        self.program.ask(f"stream {count} {milliseconds}")

    def expect_ended(self, status=None):
        """All calls have ended, each once; returns their statuses."""
        report = self.expect_report(lambda now: now["ended"] == now["begun"], "calls have not ended")
        if status is not None:
            self.expect(set(report["status"]) <= {str(status)}, f"calls ended otherwise than with {status}: {report}")
        return report["status"]

    def wait_for_echoes(self, more):
        before = self.program.report()["echoes"]
        self.expect_report(lambda now: now["echoes"] >= before + more, "the healthy connection waits for its echo")

    # --- for the runner ---

    def end(self):
        self.listener.close()
        self.close_peers()
        self.program.ask("release")
        self.expect_ended()
        self.wait_for_echoes(3)
        self.seen = self.program.report()
        self.expect(self.seen["failures"] == 0, "the healthy connection failed")

    def stop(self):
        line, code = self.program.stop()
        report = json.loads(line)
        self.expect(code == 0, f"the client ended with code {code}")
        self.expect(report["ended"] == report["begun"], f"calls ended never or twice: {line}")
        self.healthy.stop()

    def kill(self):
        self.listener.close()
        self.close_peers()
        self.program.kill()
        self.healthy.kill()


class WebSocketClientTarget(ClientTarget):
    """The same for a client over WebSocket. Its peers are WebSocketPeer."""

    SCHEME = "ws"

    def accept(self, *, greets=True, waits=True, **hello):
        sock = self.listener.accept()[0]
        peer = self.keep(WebSocketPeer(sock, self.add_sent, self.patience, is_server=True))
        if greets:
            peer.greet(**hello)
        if waits:
            self.expect(peer.wait(lambda: peer.hello is not None), "the client does not greet")
        return peer


class GrpcClientTarget(ClientTarget):
    """The same for a client of gRPC. Its peers are Http2Peer."""

    SCHEME = "grpc"

    def accept(self, *, greets=True, waits=True, first=b""):
        """The next connection. `greets`: it gets SETTINGS and `first`; `waits`: its SETTINGS have come."""
        sock = self.listener.accept()[0]
        peer = self.keep(Http2Peer(sock, self.add_sent, self.patience, is_server=True))
        if greets:
            peer.greet(first)
        if waits:
            self.expect(peer.wait(lambda: peer.settings > 0), "the client sends no SETTINGS")
        return peer

    def accept_calls(self, count=1, **options):
        """The next connection on which so many whole requests come. For options see accept()."""
        while True:
            peer = self.accept(**options)
            if peer.wait(lambda peer=peer: len(peer.requests) >= count):
                return peer
            self.expect(peer.is_closed, f"only {len(peer.requests)} of {count} calls have come")


class ConnectClientTarget(ClientTarget):
    """The same for a client of Connect, whose server knows HTTP/1.1 only. Its peers are Http1Peer."""

    SCHEME = "http"

    def accept_request(self):
        """The next connection on which a whole request has come. Those that ask for HTTP/2 learn that there is none."""
        while True:
            sock = self.listener.accept()[0]
            sock.settimeout(self.patience)
            peer = self.keep(Http1Peer(sock, self.add_sent))
            if not peer.read_request().startswith(b"PRI "):
                return peer
            peer.send(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
            peer.close()


DEFAULT_KEPT_BYTES = 16 * MIB
