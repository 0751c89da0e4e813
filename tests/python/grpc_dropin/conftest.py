# SPDX-License-Identifier: MIT
"""The fixtures of these tests."""

from __future__ import annotations

import pytest

from .pairs import PAIRS, Pair


@pytest.fixture(params=list(PAIRS))
def pair(request: pytest.FixtureRequest) -> Pair:
    """Every pair of implementations."""
    return PAIRS[request.param]
