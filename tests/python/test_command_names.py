# SPDX-License-Identifier: MIT
"""The command with lists and names in the place of an endpoint, and `trunkline servers`."""

from __future__ import annotations

import contextlib
import json
import signal
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
import trunkline
from trunkline.services import add_health, add_reflection, add_statistics

from .commanding import close, line_of, needs_command, run, start
from .name_server import name_server

pytestmark = needs_command


class Pair:
    """Servers "a" at 127.0.0.1 and "b" at 127.0.0.2, on one port."""

    def __init__(self, stack: contextlib.ExitStack, folder: Path) -> None:
        self.calls: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.running = [stack.enter_context(self._server("a").serve("tcp://127.0.0.1:0"))]
        self.port = int(self.running[0].endpoint.rsplit(":", 1)[1])
        self.running.append(stack.enter_context(self._server("b").serve(f"tcp://127.0.0.2:{self.port}")))
        self.file = folder / "fleet.json"
        self.write([{"address": f"127.0.0.{n}:{self.port}", "zone": zone} for n, zone in ((1, "east"), (2, "west"))])

    def write(self, servers: list[dict[str, object]]) -> None:
        self.file.write_text(json.dumps({"servers": servers}))

    def _server(self, name: str) -> trunkline.Server:
        server = trunkline.Server(threads=2)
        add_health(server)
        add_reflection(server)
        add_statistics(server)

        @server.method("test.Names/Name")
        def name_of(number: int) -> str:
            with self._lock:
                self.calls[name] += 1
            return name

        return server


@pytest.fixture
def pair(tmp_path: Path) -> Iterator[Pair]:
    with contextlib.ExitStack() as stack:
        yield Pair(stack, tmp_path)


@pytest.fixture(params=["list", "list without a scheme", "dns", "file"])
def uri(request: pytest.FixtureRequest, pair: Pair) -> Iterator[str]:
    listed = f"127.0.0.1:{pair.port},127.0.0.2:{pair.port}"
    if request.param == "dns":
        with name_server() as names:
            names.addresses = ["127.0.0.1", "127.0.0.2"]
            yield f"dns://{names.address}/fleet.test.:{pair.port}"
        return
    yield {"list": f"tcp://{listed}", "list without a scheme": listed, "file": f"file://{pair.file}"}[request.param]


CALL = ("test.Names/Name", "--json", "1", "--codec", "json")


def test_every_command_takes_a_name(pair: Pair, uri: str) -> None:
    called = run("call", uri, *CALL)
    listed = run("list", uri)
    healthy = run("health", uri)
    stats = run("stats", uri)

    assert (called.status, called.output in ('"a"\n', '"b"\n')) == (0, True), called.messages
    assert (listed.status, "grpc.health.v1.Health" in listed.lines) == (0, True), listed.messages
    assert (healthy.status, healthy.output) == (0, "SERVING\n"), healthy.messages
    assert (stats.status, "process " in stats.output) == (0, True), stats.messages


def test_a_load_is_spread(pair: Pair, uri: str) -> None:
    ended = run("bench", uri, *CALL, "-n", "400", "--outstanding", "4", "--balancing", "round_robin")

    assert ended.status == 0, ended.messages
    assert min(pair.calls["a"], pair.calls["b"]) >= 40, pair.calls


def test_a_routing_key_finds_its_server(pair: Pair) -> None:
    def answers() -> list[str]:
        found = []
        for number in range(24):
            key = ("--balancing", "consistent_hash", "--routing-key", f"key {number}")
            found.append(run("call", f"127.0.0.1:{pair.port},127.0.0.2:{pair.port}", *CALL, *key).output)
        return found

    first = answers()

    assert set(first) == {'"a"\n', '"b"\n'}
    assert first == answers()


def test_servers_are_shown(pair: Pair, uri: str) -> None:
    shown = run("servers", uri)

    assert shown.status == 0, shown.messages
    rows = [line.split() for line in shown.lines]
    assert rows[0] == ["SERVER", "STATE", "PRIORITY", "WEIGHT", "ZONE"]
    zones = ("east", "west") if uri.startswith("file") else ("-", "-")
    expected = [[f"tcp://127.0.0.{n + 1}:{pair.port}", "ready", "0", "1", zone] for n, zone in enumerate(zones)]
    assert sorted(rows[1:]) == expected


def test_servers_that_fail_are_shown_with_their_errors(pair: Pair) -> None:
    pair.running[1].stop()
    listed = f"tcp://127.0.0.1:{pair.port},127.0.0.2:{pair.port}"

    shown = run("servers", listed)
    described = [json.loads(line) for line in run("servers", listed, "--json").lines]

    assert shown.status == 0
    assert [line.split()[1] for line in shown.lines[1:3]] == ["ready", "failing"]
    assert shown.lines[3].startswith(f"tcp://127.0.0.2:{pair.port}: ") and "refused" in shown.lines[3]
    assert [(each["endpoint"], each["state"]) for each in described] == [
        (f"tcp://127.0.0.1:{pair.port}", "ready"),
        (f"tcp://127.0.0.2:{pair.port}", "failing"),
    ]
    assert "refused" in described[1]["error"] and described[0]["weight"] == 1


def test_no_server_can_be_reached(pair: Pair) -> None:
    for each in pair.running:
        each.stop()

    of_several = run("servers", f"tcp://127.0.0.1:{pair.port},127.0.0.2:{pair.port}")
    of_one = run("servers", f"tcp://127.0.0.1:{pair.port}")

    assert (of_several.status, of_one.status) == (1, 1)
    assert of_several.output.count("refused") == 2 and of_one.output.count("refused") == 1


def test_a_name_without_servers() -> None:
    with name_server() as names:
        shown = run("servers", f"dns://{names.address}/nowhere.test.:1")

    assert (shown.status, shown.output) == (64 + 14, "")
    assert "nowhere.test" in shown.messages


def test_changes_are_watched(pair: Pair) -> None:
    pair.write([{"address": f"127.0.0.1:{pair.port}"}])
    process = start("servers", f"file://{pair.file}", "--watch", "--json")

    def next_ready() -> str:
        while True:
            described = json.loads(line_of(process))
            if described["state"] == "ready":
                return str(described["endpoint"])

    assert next_ready() == f"tcp://127.0.0.1:{pair.port}"
    pair.write([{"address": f"127.0.0.2:{pair.port}"}])
    while next_ready() != f"tcp://127.0.0.2:{pair.port}":
        pass
    process.send_signal(signal.SIGINT)
    assert process.wait(100) == 130
    close(process)


def test_the_zone_and_the_policy_are_chosen(pair: Pair) -> None:
    for zone, name in (("east", "a"), ("west", "b")):
        # Until the server of the own zone is connected, the other one serves.
        pair.calls.clear()
        ended = run("bench", f"file://{pair.file}", *CALL, "-n", "400", "--outstanding", "1", "--zone", zone)
        assert ended.status == 0, ended.messages
        assert pair.calls[name] >= 350, pair.calls


def test_the_authority_is_sent() -> None:
    # A gRPC server refuses what is no authority.
    server = trunkline.Server(threads=1)
    server.add("name", lambda: "a")
    with server.serve("tcp://127.0.0.1:0") as running:
        grpc = running.endpoint.replace("tcp:", "grpc:")
        taken = run("call", grpc, "name", "--codec", "json", "--authority", "orders.example.com")
        wrong = run("call", grpc, "name", "--codec", "json", "--authority", "not an authority")

    assert (taken.status, taken.output) == (0, '"a"\n'), taken.messages
    assert wrong.status != 0


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (("nowhere://host/name",), "unknown scheme 'nowhere'"),
        (("dns:///10.0.0.1",), "an address needs a port"),
        (("file://fleet.json",), "a path begins with a third '/'"),
        (("a:1,b:x",), "port is not a number"),
        (("a:1", "--authority", "b"), "--authority needs a protocol over HTTP"),
        (("dns:///a:1", "--authority", "b"), "--authority needs a protocol over HTTP"),
        (("dns:///a:1", "--insecure"), "need tls://, grpcs://, wss://, https:// or grpc-webs://"),
        (("a:1,b:1", "--balancing", "best"), "--balancing is 'best', none of two_choices, round_robin"),
        (("a:1", "--timeout", "x"), "--timeout"),
    ],
)
def test_what_is_malformed_is_a_usage_error(arguments: tuple[str, ...], text: str) -> None:
    refused = run("servers", *arguments)

    assert refused.status == 2, refused
    assert text in refused.messages


@pytest.mark.parametrize("uri", ["tls+dns:///a.invalid.:1", "grpcs://127.0.0.1:1,127.0.0.2:1", "tcp://a:1,tls://b:1"])
def test_tls_is_for_names_too(uri: str) -> None:
    refused = run("servers", uri, "--insecure", "--timeout", "1ms")

    assert refused.status in (1, 64 + 14), refused
