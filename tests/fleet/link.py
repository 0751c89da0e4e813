# SPDX-License-Identifier: MIT
"""A link with delay and loss between two network namespaces, in user space, for kernels without netem: packets that
are routed to one end leave the other one later, or never.

Usage: link.py SEED DELAY_MS JITTER_MS LOSS_PERCENT NAMESPACE DEVICE NAMESPACE DEVICE    (ends with SIGTERM)
"""

from __future__ import annotations

import fcntl
import os
import random
import select
import struct
import sys
import time
from collections import deque

# From linux/if_tun.h.
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
# From linux/sched.h.
CLONE_NEWNET = 0x40000000
MAX_PACKET = 65536
#: Packets on their way in one direction; more are dropped, as by a router.
MAX_QUEUED = 1000


def enter(namespace: str) -> None:
    # os.setns() is of Python 3.12.
    import ctypes

    with open(f"/run/netns/{namespace}") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), CLONE_NEWNET) != 0:
            raise OSError(ctypes.get_errno(), f"enter the network namespace {namespace}")


def open_end(namespace: str, device: str) -> int:
    """Makes the device in the namespace. It goes with the file."""
    enter(namespace)
    file = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(file, TUNSETIFF, struct.pack("16sH22x", device.encode(), IFF_TUN | IFF_NO_PI))
    return file


class Direction:
    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink
        #: Packets, in order, with the time at which they leave.
        self.queue: deque[tuple[float, bytes]] = deque()


class Link:
    def __init__(self, ends: tuple[int, int], seed: int, delay: float, jitter: float, loss: float) -> None:
        self._directions = [Direction(ends[0], ends[1]), Direction(ends[1], ends[0])]
        self._random = random.Random(seed)
        self._delay = delay
        self._jitter = jitter
        self._loss = loss

    def run(self) -> None:
        poll = select.poll()
        by_source = {direction.source: direction for direction in self._directions}
        for source in by_source:
            poll.register(source, select.POLLIN)
        while True:
            for source, _ in poll.poll(self._milliseconds()):
                self._receive(by_source[source])
            for direction in self._directions:
                self._send(direction)

    def _milliseconds(self) -> float | None:
        """Until the next packet leaves."""
        first = [direction.queue[0][0] for direction in self._directions if direction.queue]
        return max(0.0, (min(first) - time.monotonic()) * 1000) if first else None

    def _receive(self, direction: Direction) -> None:
        try:
            while True:
                packet = os.read(direction.source, MAX_PACKET)
                if self._random.random() < self._loss or len(direction.queue) >= MAX_QUEUED:
                    continue
                leaves = time.monotonic() + self._delay + self._random.uniform(-self._jitter, self._jitter)
                if direction.queue:  # packets do not overtake each other
                    leaves = max(leaves, direction.queue[-1][0])
                direction.queue.append((leaves, packet))
        except BlockingIOError:
            pass

    def _send(self, direction: Direction) -> None:
        now = time.monotonic()
        while direction.queue and direction.queue[0][0] <= now:
            _, packet = direction.queue.popleft()
            try:
                os.write(direction.sink, packet)
            except OSError:  # the other end is full, or down: the packet is lost
                pass


def main(arguments: list[str]) -> None:
    if len(arguments) != 8:
        sys.exit("usage: link.py SEED DELAY_MS JITTER_MS LOSS_PERCENT NAMESPACE DEVICE NAMESPACE DEVICE")
    seed, delay, jitter, loss = int(arguments[0]), *map(float, arguments[1:4])
    ends = (open_end(*arguments[4:6]), open_end(*arguments[6:8]))
    print("listening", flush=True)
    Link(ends, seed, delay / 1000, jitter / 1000, loss / 100).run()


if __name__ == "__main__":
    main(sys.argv[1:])
