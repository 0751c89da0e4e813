# SPDX-License-Identifier: MIT
"""Connections that send the head of a request slowly, a byte now and then, and never end it.

Bounds: each is answered with 408 after handshake_timeout; memory: 16 KiB for each connection.
"""

import time

import http1
from program import KIB, MIB

OPTIONS = {"handshake_timeout": 2000}
PEAK = 500 * 16 * KIB + 4 * MIB


def attack(target):
    peers = [target.connect_http1() for _ in range(target.count(500, 50))]
    # Half of them have been served before.
    for peer in peers[::2]:
        peer.send(http1.call("/echo", b"1"))
        target.expect(peer.sock.recv(65536).startswith(b"HTTP/1.1 200 "), "a call fails")
    for peer in peers:
        peer.send(b"POST /echo HTTP/1.1\r\nHost: ")
    end = time.monotonic() + 1.5
    while time.monotonic() < end:
        for peer in peers:
            peer.send(b"s")
        time.sleep(0.1)
    for peer in peers:
        answer = peer.read_all()
        target.expect(answer is not None and answer.startswith(b"HTTP/1.1 408 "), f"not ended: {answer!r}")
    target.note(f"{len(peers)} connections")
