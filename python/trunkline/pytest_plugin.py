# SPDX-License-Identifier: MIT
"""Fixtures for users' tests. pytest loads them automatically; those for asyncio need no other plugin."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from . import aio, testing
from ._sync.channel import Channel
from .testing._hosting import LoopThread


@pytest.fixture
def trunkline_serve() -> Iterator[Callable[..., Channel]]:
    """Returns a function that serves a Server, a service or a Fake in this process until the test ends, and returns a
    channel to it."""
    with ExitStack() as stack:
        yield lambda service, **options: stack.enter_context(testing.serve(service, **options))


@pytest.fixture
def trunkline_aserve() -> Iterator[Callable[..., aio.Channel]]:
    """Returns a function that serves as ``trunkline_serve`` does, and returns a channel for asyncio. The server runs on
    an event loop of its own; ``async with trunkline.testing.aserve(...)`` serves on the loop of the test."""
    with ExitStack() as stack:
        thread = stack.enter_context(LoopThread())
        yield lambda service, **options: stack.enter_context(thread.entered(testing.aserve(service, **options)))


@pytest.fixture
def trunkline_fake() -> testing.Fake:
    """Returns a :class:`trunkline.testing.Fake`, which ``trunkline_serve``, ``trunkline_aserve`` or its own ``serve``
    serves."""
    return testing.Fake()
