# SPDX-License-Identifier: MIT
"""A channel to several servers: lists of endpoints, how calls are spread, and servers that go."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable

import pytest
import trunkline
from trunkline import aio
from trunkline.services import ServingStatus, add_health


def named(name: str) -> trunkline.Server:
    server = trunkline.Server()

    @server.method("Name")
    def name_of(request: str) -> str:
        return name

    return server


def names_once_connected(channel: trunkline.Channel, servers: int = 2) -> list[str]:
    """The names of the servers that have served calls, of which the last 40 were made when all were connected."""
    names: list[str] = []
    while len(channel.servers) < servers or not all(state.is_ready for state in channel.servers):
        names.append(channel.call("Name", "", str, timeout=50.0, wait_for_ready=True))
    return names + [channel.call("Name", "", str, timeout=50.0) for _ in range(40)]


def test_calls_are_spread_over_a_list() -> None:
    with named("a").serve("tcp://127.0.0.1:0") as a, named("b").serve("tcp://127.0.0.1:0") as b:
        with trunkline.Channel(f"{a.endpoint},{b.endpoint}", balancing="round_robin", slow_start=0.0) as channel:
            assert channel.servers == []
            names = names_once_connected(channel)
            assert set(names) == {"a", "b"}
            states = channel.servers
            assert [state.endpoint for state in states] == [a.endpoint, b.endpoint]
            assert all(state.is_ready and state.open_calls == 0 and not state.last_error for state in states)
            assert sum(state.started_calls for state in states) == len(names)


@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_one_scheme_may_stand_for_all(scheme: str) -> None:
    with named("a").serve("tcp://127.0.0.1:0") as a, named("b").serve("tcp://127.0.0.1:0") as b:
        addresses = ",".join(server.endpoint.removeprefix("tcp://") for server in (a, b))
        with trunkline.Channel(f"{scheme}://{addresses}", balancing="round_robin") as channel:
            assert set(names_once_connected(channel)) == {"a", "b"}


@pytest.mark.parametrize("is_graceful", [True, False])
def test_calls_go_on_when_a_server_stops(is_graceful: bool) -> None:
    with named("a").serve("tcp://127.0.0.1:0") as a:
        with named("b").serve("tcp://127.0.0.1:0") as b, trunkline.Channel(f"{a.endpoint},{b.endpoint}") as channel:
            for _ in range(20):
                channel.call("Name", "", str, timeout=50.0)
            if is_graceful:
                b.shutdown()
            else:
                b.stop()
            # A call on the way to a server that goes without a goodbye may have run there.
            names = {channel.call("Name", "", str, timeout=50.0, idempotent=not is_graceful) for _ in range(100)}
            assert names == {"a"}


def test_calls_fail_when_no_server_is_left() -> None:
    with named("a").serve("tcp://127.0.0.1:0") as a, named("b").serve("tcp://127.0.0.1:0") as b:
        uri = f"{a.endpoint},{b.endpoint}"
    with trunkline.Channel(uri) as channel, pytest.raises(trunkline.Unavailable, match="refused") as failure:
        channel.call("Name", "", str, timeout=50.0)
    assert not failure.value.may_have_run


def test_asyncio() -> None:
    async def run() -> None:
        with named("a").serve("tcp://127.0.0.1:0") as a, named("b").serve("tcp://127.0.0.1:0") as b:
            async with aio.Channel(f"{a.endpoint},{b.endpoint}", balancing="round_robin") as channel:
                names: set[str] = set()
                while names != {"a", "b"}:  # until both are connected
                    names.add(await channel.call("Name", "", str, timeout=50.0))
                assert len(channel.servers) == 2

    asyncio.run(run())


@pytest.mark.parametrize(
    ("uri", "text"),
    [
        ("tcp://127.0.0.1:1,", "host is missing"),
        ("tcp://127.0.0.1:1,127.0.0.1:x", "port is not a number"),
        ("nowhere://host/name", "unknown scheme 'nowhere'"),
        (
            "ftp+dns:///name",
            "what is before the '\\+' is none of tcp, tls, grpc, grpcs, ws, wss, http, https, grpc-web and grpc-webs",
        ),
        ("dns:name", "is missing after the scheme"),
        ("UPPER://x", "scheme is not"),
    ],
)
def test_a_malformed_target_is_refused(uri: str, text: str) -> None:
    with pytest.raises(trunkline.InvalidArgument, match=text):
        trunkline.Channel(uri)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"outlier_failure_rate": 1.5}, "outliers.failure_rate"),
        ({"outlier_max_ejection_time": 1.0}, "outliers.max_ejection_time"),
        ({"breaker_probes": 0}, "circuit_breaker.probes"),
        ({"balancing": "best"}, "'best', none of two_choices, round_robin"),
        ({"hash_load_factor": 1.0}, "hash_load_factor"),
        ({"slow_start": -1.0}, "slow_start"),
        ({"max_servers": -1}, "max_servers"),
        ({"ordered": True}, "ordered cannot be kept by several servers"),
    ],
)
def test_an_option_out_of_range_is_refused(options: dict[str, object], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        trunkline.Channel("tcp://127.0.0.1:1,127.0.0.1:2", **options)  # type: ignore[arg-type]


def eventually(holds: Callable[[], bool]) -> bool:
    """Returns whether it holds within some seconds."""
    end = time.monotonic() + 60.0
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def failing() -> trunkline.Server:
    server = trunkline.Server()

    @server.method("Name")
    def name_of(request: str) -> str:
        raise trunkline.RpcError("broken", code=trunkline.StatusCode.UNKNOWN)

    return server


def names_of(channel: trunkline.Channel, count: int) -> list[str]:
    names = []
    for _ in range(count):
        try:
            names.append(channel.call("Name", "", str, timeout=50.0))
        except trunkline.RpcError as error:
            names.append(error.code.name)
    return names


def test_a_server_that_fails_is_ejected() -> None:
    with named("a").serve("tcp://127.0.0.1:0") as a, failing().serve("tcp://127.0.0.1:0") as b:
        uri = f"{a.endpoint},{b.endpoint}"
        with trunkline.Channel(uri, balancing="round_robin", slow_start=0.0, max_retries=0) as channel:
            names = names_of(channel, 40)
            assert names.count("UNKNOWN") == 5
            good, bad = channel.servers
            assert (good.is_ejected, bad.is_ejected, bad.is_ready) == (False, True, False)
            assert "ejected until 20" in bad.last_error
        with trunkline.Channel(uri, balancing="round_robin", slow_start=0.0, outliers=False) as channel:
            assert eventually(lambda: set(names_of(channel, 2)) == {"a", "UNKNOWN"})
            assert names_of(channel, 40).count("UNKNOWN") >= 19


@pytest.mark.parametrize("scheme", ["tcp", "grpc"])
def test_a_server_that_is_not_serving_gets_no_calls(scheme: str) -> None:
    first, second = named("a"), named("b")
    health = add_health(first)
    with first.serve("tcp://127.0.0.1:0") as a, second.serve("tcp://127.0.0.1:0") as b:
        uri = f"{scheme}://" + ",".join(server.endpoint.removeprefix("tcp://") for server in (a, b))
        with trunkline.Channel(uri, balancing="round_robin", slow_start=0.0) as channel:
            assert eventually(lambda: set(names_of(channel, 10)) == {"a", "b"})
            health.set("", ServingStatus.NOT_SERVING)
            assert eventually(lambda: set(names_of(channel, 10)) == {"b"})
            assert "not serving" in channel.servers[0].last_error
            health.set("", ServingStatus.SERVING)
            assert eventually(lambda: set(names_of(channel, 10)) == {"a", "b"})


def test_the_health_of_one_service_may_be_watched() -> None:
    first, second = named("a"), named("b")
    for server in (first, second):
        add_health(server).set("Names", ServingStatus.NOT_SERVING)
    with first.serve("tcp://127.0.0.1:0") as a, second.serve("tcp://127.0.0.1:0") as b:
        uri = f"{a.endpoint},{b.endpoint}"
        with trunkline.Channel(uri, health_service="Names") as channel:
            with pytest.raises(trunkline.Unavailable, match="not serving"):
                channel.call("Name", "", str, timeout=50.0)
        with trunkline.Channel(uri, health_service="Names", health_check=False) as channel:
            assert channel.call("Name", "", str, timeout=50.0) in {"a", "b"}


@pytest.mark.parametrize("is_fleet", [False, True])
def test_a_circuit_breaker_opens(is_fleet: bool) -> None:
    with failing().serve("tcp://127.0.0.1:0") as a, failing().serve("tcp://127.0.0.1:0") as b:
        uri = f"{a.endpoint},{b.endpoint}" if is_fleet else a.endpoint
        with trunkline.Channel(uri, circuit_breaker=True, outliers=False, balancing="round_robin") as channel:
            assert names_of(channel, 30).count("UNKNOWN") == (10 if is_fleet else 5)
            with pytest.raises(trunkline.Unavailable, match="call Name: the circuit breakers? for .* open"):
                channel.call("Name", "", str, timeout=50.0)
            assert channel.servers[0].open_breakers == ["Name"]
