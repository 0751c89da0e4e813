# SPDX-License-Identifier: MIT
"""Two servers, in C++ or in Python, and a proxy in front of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from .backends import BUILT, Backend
from .proxies import Proxy


@pytest.fixture(params=["cpp", "python"])
def backends(request: pytest.FixtureRequest) -> Iterator[tuple[Backend, Backend]]:
    if request.param == "cpp" and BUILT is None:
        pytest.skip("TRUNKLINE_BUILT_INTEROP is not set")
    first = Backend(request.param)
    try:
        second = Backend(request.param)
        try:
            yield first, second
        finally:
            second.kill()
    finally:
        first.kill()


@pytest.fixture(params=["nginx", "haproxy"])
def proxy_name(request: pytest.FixtureRequest) -> str:
    name = str(request.param)
    assert shutil.which(name), f"{name} is not installed: scripts/install-dependencies --proxies"
    return name


@pytest.fixture
def proxy(proxy_name: str, backends: tuple[Backend, Backend], tmp_path: Path) -> Iterator[Proxy]:
    with Proxy(proxy_name, (backends[0].address, backends[1].address), tmp_path) as running:
        yield running


@pytest.fixture
def impatient_proxy(proxy_name: str, backends: tuple[Backend, Backend], tmp_path: Path) -> Iterator[Proxy]:
    """Waits no longer than 300 ms for a response."""
    changes = {
        "nginx": {"grpc_read_timeout 1h": "grpc_read_timeout 300ms"},
        "haproxy": {"timeout server 1h": "timeout server 300ms"},
    }[proxy_name]
    with Proxy(proxy_name, (backends[0].address, backends[1].address), tmp_path, changes) as running:
        yield running
