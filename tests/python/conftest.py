# SPDX-License-Identifier: MIT
"""Servers for tests, one per test."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
import trunkline

Serve = Callable[[trunkline.Server], trunkline.Channel]


def pytest_configure() -> None:
    """Ends what a job in the background is started with: a SIGINT that is ignored, here and in every child process."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves on a free port and returns a channel to the server."""
    with ExitStack() as stack:

        def start(server: trunkline.Server) -> trunkline.Channel:
            running = stack.enter_context(server.serve("tcp://127.0.0.1:0"))
            return stack.enter_context(trunkline.Channel(running.endpoint))

        yield start
