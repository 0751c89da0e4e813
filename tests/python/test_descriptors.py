# SPDX-License-Identifier: MIT
"""How many descriptors channels hold."""

from __future__ import annotations

import gc
import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trunkline

from .waiting import wait_until

CHANNELS = 8


def open_descriptors() -> int:
    return len(os.listdir("/proc/self/fd")) - 1  # without the one that lists them


def expect(wanted: int) -> None:
    """Waits until so many are open: a server closes what channels have left in its own time."""
    wait_until(lambda: open_descriptors() == wanted)


def settled() -> int:
    """How many are open once what tests before have left has been closed."""
    gc.collect()
    counts = [-1, open_descriptors()]
    while counts[-1] != counts[-2]:
        time.sleep(0.2)
        counts.append(open_descriptors())
    return counts[-1]


@contextmanager
def none_left() -> Iterator[None]:
    """Lets no descriptor be opened."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    lowest = os.open("/dev/null", os.O_RDONLY)
    os.close(lowest)
    resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def test_a_channel_opens_them_with_its_connection() -> None:
    server = trunkline.Server(threads=2)
    server.add("echo", lambda request: request)
    with server.serve("tcp://127.0.0.1:0") as running:
        before = settled()
        channels = [trunkline.Channel(running.endpoint) for _ in range(CHANNELS)]
        assert open_descriptors() == before

        assert [channel.call("echo", b"x", bytes) for channel in channels] == [b"x"] * CHANNELS
        # Two sockets of each connection, and three of each loop.
        expect(before + 5 * CHANNELS)

        while channels:
            channels.pop().close()  # its loop ends with the object
        expect(before)


def test_none_left_is_an_error_of_the_call() -> None:
    with none_left():
        channel = trunkline.Channel("tcp://127.0.0.1:1")
        with pytest.raises(trunkline.ResourceExhausted) as caught:
            channel.call("echo", b"x")
        channel.close()

    assert "too many open files; raise the limit (ulimit -n)" in caught.value.message
    assert caught.value.may_have_run is False
