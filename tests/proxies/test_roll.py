# SPDX-License-Identifier: MIT
"""Three servers behind a proxy, all of which are replaced one after the other under load: no call fails."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import grpc
import pytest
import trunkline
from google.protobuf.wrappers_pb2 import Int64Value

from .backends import BUILT, Backend
from .load import Load
from .proxies import Proxy
from .waiting import wait_until


@pytest.fixture(params=["cpp", "python"])
def three(request: pytest.FixtureRequest) -> Iterator[list[Backend]]:
    if request.param == "cpp" and BUILT is None:
        pytest.skip("TRUNKLINE_BUILT_INTEROP is not set")
    with ExitStack() as ends:
        backends = []
        for _ in range(3):
            backends.append(Backend(request.param))
            ends.callback(backends[-1].kill)
        yield backends


def pids_of_new_connections(client: str, proxy: Proxy) -> set[int]:
    """The servers that the proxy chooses for some connections."""
    scheme, address = ("tcp", proxy.native) if client == "tcp" else ("grpc", proxy.grpc)
    pids = set()
    for _ in range(3):
        with trunkline.Channel(f"{scheme}://{address}") as channel:
            pids.add(int(channel.call("interop.Grpc/Process", Int64Value(), Int64Value, timeout=20).value))
    return pids


class Callers:
    """A channel for each thread. No call is idempotent, and grpcio repeats none."""

    def __init__(self, client: str, address: str) -> None:
        self._client = client
        self._address = address
        self._local = threading.local()
        self._ends = ExitStack()
        self._lock = threading.Lock()
        self._pids: set[int] = set()

    def call(self) -> None:
        if not hasattr(self._local, "call"):
            self._local.call = self._connect()
        pid = self._local.call()
        with self._lock:
            self._pids.add(pid)
        time.sleep(0.002)

    def take_pids(self) -> set[int]:
        """The servers that have answered since the last time."""
        with self._lock:
            taken, self._pids = self._pids, set()
        return taken

    def close(self) -> None:
        self._ends.close()

    def _connect(self) -> Callable[[], int]:
        name, request = "interop.Grpc/Process", Int64Value()
        if self._client == "grpcio":
            connected = grpc.insecure_channel(self._address, [("grpc.enable_retries", 0)])
            self._enter(connected)
            method = connected.unary_unary(f"/{name}", Int64Value.SerializeToString, Int64Value.FromString)
            return lambda: int(method(request, timeout=20).value)
        channel = trunkline.Channel(f"{self._client}://{self._address}")
        self._enter(channel)
        return lambda: int(channel.call(name, request, Int64Value, timeout=20).value)

    def _enter(self, channel: trunkline.Channel | grpc.Channel) -> None:
        with self._lock:
            self._ends.callback(channel.close)


@pytest.mark.parametrize("client", ["tcp", "grpc", "grpcio"])
def test_a_rolling_restart_loses_no_call(
    client: str, proxy_name: str, three: list[Backend], tmp_path: Path
) -> None:
    addresses = [backend.address for backend in three]
    with Proxy(proxy_name, addresses, tmp_path) as proxy:
        callers = Callers(client, proxy.native if client == "tcp" else proxy.grpc)
        try:
            with Load(callers.call) as load:
                wait_until(lambda: load.calls > 100, "few calls")
                for backend in three:
                    backend.begin_to_drain()
                    backend.wait_until_drained()
                    backend.start()
                    # A proxy that looks after its servers must have found it before the next one is replaced.
                    wait_until(lambda: backend.pid in pids_of_new_connections(client, proxy), "it is not found")
                callers.take_pids()
                done = load.calls
                wait_until(lambda: load.calls > done + 100, "few calls after the roll")
            assert callers.take_pids() <= {backend.pid for backend in three}
        finally:
            callers.close()
