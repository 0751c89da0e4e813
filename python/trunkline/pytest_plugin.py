# SPDX-License-Identifier: MIT
"""Fixtures for users' tests, found by pytest by themselves; asyncio needs no other plugin for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from . import aio, testing
from ._channel import Channel
from .testing._hosting import LoopThread


@pytest.fixture
def trunkline_serve() -> Iterator[Callable[..., Channel]]:
    """Serves a Server, a service or a Fake in this process, and gives a channel to it, until the test's end."""
    with ExitStack() as stack:
        yield lambda service, **options: stack.enter_context(testing.serve(service, **options))


@pytest.fixture
def trunkline_aserve() -> Iterator[Callable[..., aio.Channel]]:
    """The same with a channel for asyncio, whatever runs the event loop of the test. The server has an event loop of
    its own; ``async with trunkline.testing.aserve(...)`` serves on that of the test."""
    with ExitStack() as stack:
        thread = stack.enter_context(LoopThread())
        yield lambda service, **options: stack.enter_context(thread.entered(testing.aserve(service, **options)))


@pytest.fixture
def trunkline_fake() -> testing.Fake:
    """A :class:`trunkline.testing.Fake`, to be served by ``trunkline_serve``, ``trunkline_aserve`` or itself."""
    return testing.Fake()
