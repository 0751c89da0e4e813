# SPDX-License-Identifier: MIT
"""HAProxy that names its clients in a header of the PROXY protocol, in front of a server that trusts it."""

from __future__ import annotations

import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import trunkline

from .proxies import free_ports
from .waiting import wait_until

CONFIGURATION = """
defaults
  timeout connect 2s
  timeout client 1m
  timeout server 1m

listen all
  mode tcp
  bind 127.0.0.1:{port}
  # Not the address of the clients, so that the two are told apart.
  server one {server} source 127.0.0.9 {send} check inter 50ms check-send-proxy
"""


@pytest.fixture
def server() -> Iterator[trunkline.RunningServer]:
    server = trunkline.Server(trusted_proxies=["127.0.0.9"])

    @server.method("peer")
    def peer(context: trunkline.Context) -> str:
        return context.peer

    with server.serve("tcp://127.0.0.1:0") as running:
        yield running


@pytest.fixture(params=["send-proxy", "send-proxy-v2", "send-proxy-v2-ssl-cn"])
def proxy(request: pytest.FixtureRequest, server: trunkline.RunningServer, tmp_path: Path) -> Iterator[int]:
    (port,) = free_ports(1)
    configuration = tmp_path / "haproxy.cfg"
    configuration.write_text(
        CONFIGURATION.format(
            port=port, server=server.endpoint.removeprefix("tcp://"), send=request.param
        )
    )
    with subprocess.Popen(["haproxy", "-db", "-f", str(configuration)]) as process:
        try:
            wait_until(lambda: accepts(port), "HAProxy does not listen")
            yield port
        finally:
            process.terminate()


def accepts(port: int) -> bool:
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
    except OSError:
        return False
    return True


@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_handlers_see_the_address_of_the_client(proxy: int, scheme: str) -> None:
    with trunkline.Channel(f"{scheme}://127.0.0.1:{proxy}") as channel:
        shown = channel.call("peer", None, str, timeout=20, wait_for_ready=True)

    assert shown.startswith("tcp://127.0.0.1:")


@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_others_connect_without_a_header(server: trunkline.RunningServer, scheme: str) -> None:
    with trunkline.Channel(f"{scheme}://{server.endpoint.removeprefix('tcp://')}") as channel:
        shown = channel.call("peer", None, str, timeout=20)

    assert shown.startswith("tcp://127.0.0.1:")
