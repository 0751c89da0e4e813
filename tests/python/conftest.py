# SPDX-License-Identifier: MIT
"""Servers for tests, one per test."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
import trunkline

Serve = Callable[[trunkline.Server], trunkline.Channel]


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Serves on a free port and returns a channel to the server."""
    with ExitStack() as stack:

        def start(server: trunkline.Server) -> trunkline.Channel:
            running = stack.enter_context(server.serve("tcp://127.0.0.1:0"))
            return stack.enter_context(trunkline.Channel(running.endpoint))

        yield start
