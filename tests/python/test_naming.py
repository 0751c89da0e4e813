# SPDX-License-Identifier: MIT
"""Servers found in the DNS and in files, and what happens when the names change."""

from __future__ import annotations

import contextlib
import json
import pathlib
import time
from collections.abc import Iterator

import pytest
import trunkline

from .name_server import name_server


def named(name: str) -> trunkline.Server:
    server = trunkline.Server()

    @server.method("Name")
    def name_of(request: str) -> str:
        return name

    return server


@contextlib.contextmanager
def two_servers() -> Iterator[int]:
    """Servers "a" at 127.0.0.1 and "b" at 127.0.0.2, on one port."""
    with named("a").serve("tcp://127.0.0.1:0") as a:
        port = int(a.endpoint.rsplit(":", 1)[1])
        with named("b").serve(f"tcp://127.0.0.2:{port}"):
            yield port


def call_until(channel: trunkline.Channel, names: set[str]) -> None:
    """Calls, none of which may fail, until 20 in a row were served by `names`."""
    deadline = time.monotonic() + 100.0
    while {channel.call("Name", "", str, timeout=50.0, wait_for_ready=True) for _ in range(20)} != names:
        assert time.monotonic() < deadline, f"the calls are not served by {names}"


def test_names_in_the_dns_change_under_load() -> None:
    with two_servers() as port, name_server() as names:
        names.addresses = ["127.0.0.1", "127.0.0.2"]
        uri = f"dns://{names.address}/fleet.test.:{port}?min_refresh=0.05"
        with trunkline.Channel(uri, balancing="round_robin", slow_start=0.0) as channel:
            call_until(channel, {"a", "b"})
            names.addresses = ["127.0.0.2"]
            call_until(channel, {"b"})
            names.addresses = []
            call_until(channel, {"b"})
            names.addresses = ["127.0.0.1"]
            call_until(channel, {"a"})


def test_a_name_that_does_not_exist_fails_calls() -> None:
    with name_server() as names, trunkline.Channel(f"dns://{names.address}/nowhere.test.:1") as channel:
        with pytest.raises(trunkline.Unavailable, match="nowhere.test") as failure:
            channel.call("Name", "", str, timeout=50.0)
        assert not failure.value.may_have_run


def test_a_file_changes_under_load(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "fleet.json"

    def write(*addresses: str) -> None:
        path.write_text(json.dumps({"servers": [{"address": address} for address in addresses]}))

    with two_servers() as port:
        write(f"127.0.0.1:{port}")
        with trunkline.Channel(f"file://{path}", balancing="round_robin", slow_start=0.0) as channel:
            call_until(channel, {"a"})
            write(f"127.0.0.1:{port}", f"127.0.0.2:{port}")
            call_until(channel, {"a", "b"})
            path.write_text("{")
            call_until(channel, {"a", "b"})
            write(f"127.0.0.2:{port}")
            call_until(channel, {"b"})


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("dns:///10.0.0.1", "an address needs a port"),
        ("dns:///a:1?ttl=3", "unknown parameter 'ttl'"),
        ("file://fleet.json", "a path begins with a third '/'"),
    ],
)
def test_a_malformed_name_is_refused(uri: str, text: str) -> None:
    with pytest.raises(trunkline.InvalidArgument, match=text):
        trunkline.Channel(uri)
