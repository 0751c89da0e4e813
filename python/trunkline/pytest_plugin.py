# SPDX-License-Identifier: MIT
"""Fixtures for users' tests, found by pytest by themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from . import testing
from ._channel import Channel


@pytest.fixture
def trunkline_serve() -> Iterator[Callable[..., Channel]]:
    """Serves a Server or a service in this process, and gives a channel to it, until the test's end."""
    with ExitStack() as stack:
        yield lambda service, **options: stack.enter_context(testing.serve(service, **options))


@pytest.fixture
def trunkline_fake() -> testing.Fake:
    """A :class:`trunkline.testing.Fake`."""
    return testing.Fake()
