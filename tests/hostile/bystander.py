# SPDX-License-Identifier: MIT
"""Another connection: an 8-byte echo, one after the other, in a process of its own. Usage: bystander.py PORT

Each line of standard input is answered with the counts as JSON; `stop`, or the end of the input, ends the program. An
echo that fails is counted, and the next one is tried on a new connection.
"""

import json
import select
import socket
import sys
import time

import wire
from peer import Peer

PAUSE = 0.002
PATIENCE = 60.0
REQUEST = b"8 bytes!"


class Bystander:
    def __init__(self, port):
        self.port = port
        self.peer = None
        self.last_id = 0
        self.began = None  # when the echo under way was sent
        self.echoes = self.failures = 0
        self.worst = 0.0
        self.reason = ""

    def report(self):
        worst = self.worst if self.began is None else max(self.worst, time.monotonic() - self.began)
        return {"echoes": self.echoes, "failures": self.failures, "worst": worst, "reason": self.reason}

    def run(self):
        due = time.monotonic()
        while True:
            now = time.monotonic()
            if self.began is None and now >= due:
                self.send()
            elif self.began is not None and now - self.began > PATIENCE:
                self.fail(f"no response within {PATIENCE:g} s")
            sources = [sys.stdin] if self.peer is None else [sys.stdin, self.peer.socket]
            wait = max(0.0, due - now) if self.began is None else 0.5
            readable = select.select(sources, [], [], wait)[0]
            if sys.stdin in readable:
                command = sys.stdin.readline().strip()
                print(json.dumps(self.report()), flush=True)
                if command in ("stop", ""):
                    return
            if self.peer is not None and self.peer.socket in readable:
                self.peer.receive()
                if self.peer.is_closed:
                    self.fail("disconnected")
            if self.began is None and due <= now:
                due = time.monotonic() + PAUSE

    def send(self):
        self.began = time.monotonic()
        try:
            if self.peer is None:
                self.last_id = 0
                self.peer = Peer(socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE)).greet()
                self.peer.on_frame = self.on_frame
            self.last_id += 1
            self.peer.send(wire.call(self.last_id, "echo", REQUEST))
        except (OSError, TimeoutError) as error:
            self.fail(str(error))

    def on_frame(self, kind, flags, call, number, body):
        if kind == wire.PING:
            self.peer.send(wire.frame(wire.PONG, body))
        elif kind == wire.GOAWAY:
            self.reason = f"goaway {number}: {body.decode(errors='replace')}"
        elif kind == wire.FINISH and call == self.last_id and self.began is not None:
            self.worst = max(self.worst, time.monotonic() - self.began)
            self.began = None
            if number == 0 and body.endswith(REQUEST):
                self.echoes += 1
            else:
                self.failures += 1
                self.reason = f"status {number}"
            length = wire.HEADER.size + len(body)
            self.peer.send(wire.credit(0, length))

    def fail(self, reason):
        self.failures += 1
        self.reason = reason
        if self.began is not None:
            self.worst = max(self.worst, time.monotonic() - self.began)
            self.began = None
        if self.peer is not None:
            self.peer.close()
            self.peer = None
        time.sleep(0.05)


if __name__ == "__main__":
    Bystander(int(sys.argv[1])).run()
