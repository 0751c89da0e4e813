# SPDX-License-Identifier: MIT
"""Contents of 4 MiB are announced, as a length or as a chunk, and one byte of them is sent.

Bounds: memory follows what arrives: 32 KiB for each connection.
"""

import http1
from program import KIB, MIB

OPTIONS = {"max_memory_bytes": 256 * MIB}
PEAK = 400 * 32 * KIB + 4 * MIB


def attack(target):
    connections = target.count(400, 100)
    length = http1.head("POST", "/take", f"Content-Type: {http1.OCTETS}", f"Content-Length: {4 * MIB}")
    chunk = http1.head("POST", "/take", f"Content-Type: {http1.OCTETS}", "Transfer-Encoding: chunked") + b"400000\r\n"
    for number in range(connections):
        target.connect_http1().send((chunk if number % 2 else length) + b"x")
    target.wait_for_echoes(20)
    target.note(f"{connections} connections")
