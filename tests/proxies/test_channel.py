# SPDX-License-Identifier: MIT
"""Channels of Trunkline, and proxies that balance their connections (native protocol) or their calls (gRPC)."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
import trunkline
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value

from .backends import Backend
from .load import Load
from .calls import check_errors, check_metadata, echo
from .proxies import Proxy
from .waiting import wait_until, wait_until_still

Backends = tuple[Backend, Backend]


@pytest.fixture(params=["tcp", "grpc"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def endpoint_of(scheme: str, proxy: Proxy) -> str:
    return f"{scheme}://{proxy.native if scheme == 'tcp' else proxy.grpc}"


@pytest.fixture
def endpoint(scheme: str, proxy: Proxy) -> str:
    return endpoint_of(scheme, proxy)


@pytest.fixture
def channel(endpoint: str) -> Iterator[trunkline.Channel]:
    with trunkline.Channel(endpoint) as channel:
        yield channel


def pid_of(channel: trunkline.Channel) -> int:
    return int(channel.call("interop.Grpc/Process", Int64Value(), Int64Value, timeout=20, wait_for_ready=True).value)


def test_both_servers_serve(endpoint: str, backends: Backends) -> None:
    pids = set()
    for _ in range(10):
        with trunkline.Channel(endpoint) as channel:
            pids.add(pid_of(channel))

    assert pids == {backend.pid for backend in backends}


@pytest.mark.parametrize("size", [0, 1, 16384, 70000, 1 << 20, 16 << 20])
def test_messages_of_every_size(channel: trunkline.Channel, size: int) -> None:
    message = BytesValue(value=b"x" * size)

    for _ in range(2):
        assert echo(channel, message) == message


def test_many_calls_at_once(channel: trunkline.Channel) -> None:
    messages = [BytesValue(value=str(number).encode() * 100) for number in range(2000)]

    assert list(channel.map("interop.Grpc/Echo", messages, BytesValue, timeout=40)) == messages


def test_streams_of_every_kind(channel: trunkline.Channel) -> None:
    sent = [BytesValue(value=bytes([i % 256]) * (i * 500)) for i in range(100)]

    numbers = channel.server_stream("interop.Grpc/Range", Int64Value(value=2000), Int64Value, timeout=20)
    assert [number.value for number in numbers] == list(range(2000))
    requests = (Int64Value(value=i) for i in range(1000))
    assert channel.client_stream("interop.Grpc/Sum", requests, Int64Value, timeout=20).value == 499500
    with channel.stream("interop.Grpc/Chat", BytesValue, BytesValue, timeout=40) as chat:
        for message in sent:
            chat.write(message)
            assert chat.read() == message
        chat.close_writes()
        assert list(chat) == []


def test_metadata(channel: trunkline.Channel) -> None:
    check_metadata(channel)


def test_errors(channel: trunkline.Channel) -> None:
    check_errors(channel)


def cancelled(backends: Backends) -> int:
    return sum(backend.cancelled() for backend in backends)


def test_a_deadline_cancels_the_handler(channel: trunkline.Channel, backends: Backends) -> None:
    with pytest.raises(trunkline.DeadlineExceeded):
        channel.call("interop.Grpc/Hang", Int64Value(), Int64Value, timeout=2)

    wait_until(lambda: cancelled(backends) == 1, "the handler is not cancelled")


def test_a_cancellation_reaches_the_handler(channel: trunkline.Channel, backends: Backends) -> None:
    future = channel.submit("interop.Grpc/Hang", Int64Value(), Int64Value)
    wait_until(lambda: sum(backend.hanging() for backend in backends) == 1, "the handler is not called")
    future.cancel()

    wait_until(lambda: cancelled(backends) == 1, "the handler is not cancelled")
    assert echo(channel, BytesValue(value=b"x")).value == b"x"


def hang(channel: trunkline.Channel) -> trunkline.CallFuture[Int64Value]:
    """Of a call that is at its server, and not the first one of its channel."""
    assert echo(channel, BytesValue(value=b"x")).value == b"x"
    future = channel.submit("interop.Grpc/Hang", Int64Value(), Int64Value, timeout=40)
    assert echo(channel, BytesValue(value=b"x")).value == b"x"
    return future


@contextmanager
def hanging_calls(endpoint: str) -> Iterator[tuple[list[trunkline.Channel], list[trunkline.CallFuture[Int64Value]]]]:
    """Eight channels, each with a call that hangs."""
    channels = [trunkline.Channel(endpoint) for _ in range(8)]
    calls = [hang(channel) for channel in channels]
    try:
        yield channels, calls
    finally:
        for call in calls:
            call.cancel()
        for channel in channels:
            channel.close()


def test_the_calls_of_a_killed_server_end(scheme: str, proxy_name: str, endpoint: str, backends: Backends) -> None:
    if scheme == "grpc" and proxy_name == "haproxy":
        pytest.skip("HAProxy says that they have not run: see the next test")
    with hanging_calls(endpoint) as (channels, calls):
        backends[0].kill()

        ended = wait_until_still(lambda: sum(call.done() for call in calls))
        assert {type(call.exception()) for call in calls if call.done()} == {trunkline.Unavailable}
        assert 0 < ended < 8
        assert {pid_of(channel) for channel in channels} == {backends[1].pid}


@pytest.mark.parametrize("proxy_name", ["haproxy"])
@pytest.mark.parametrize("scheme", ["grpc"])
def test_calls_that_haproxy_refuses_are_repeated(endpoint: str, backends: Backends) -> None:
    with hanging_calls(endpoint) as (channels, calls):
        backends[0].kill()

        assert {pid_of(channel) for channel in channels} == {backends[1].pid}
        time.sleep(1.0)  # a call is repeated after a pause
        assert not any(call.done() for call in calls)
    wait_until(lambda: backends[1].cancelled() == 8, "the calls have not gone to the other server")


def test_a_drained_server_loses_no_call(endpoint: str, backends: Backends) -> None:
    message = BytesValue(value=b"x" * 1000)
    local = threading.local()
    channels: list[trunkline.Channel] = []

    def call() -> None:
        if not hasattr(local, "channel"):
            local.channel = trunkline.Channel(endpoint)
            channels.append(local.channel)
        echo(local.channel, message)

    with Load(call) as load:
        wait_until(lambda: load.calls > 100, "few calls")
        backends[0].begin_to_drain()
        backends[0].wait_until_drained()
        done = load.calls
        wait_until(lambda: load.calls > done + 100, "few calls after the drain")

    assert {pid_of(channel) for channel in channels} == {backends[1].pid}
    for channel in channels:
        channel.close()


def test_no_server_is_unavailable(
    channel: trunkline.Channel, scheme: str, proxy_name: str, backends: Backends
) -> None:
    for backend in backends:
        backend.kill()

    with pytest.raises(trunkline.Unavailable) as raised:
        echo(channel, BytesValue())

    status = {"nginx": "HTTP status 502", "haproxy": "HTTP status 503"}[proxy_name]
    assert (status if scheme == "grpc" else "handshake: ") in raised.value.message


def test_calls_that_wait_for_ready_outlast_the_want_of_servers(
    channel: trunkline.Channel, scheme: str, backends: Backends
) -> None:
    if scheme != "tcp":
        pytest.skip("behind a proxy of calls the channel is ready without a server")
    for backend in backends:
        backend.kill()
    future = channel.submit(
        "interop.Grpc/Echo", BytesValue(value=b"x"), BytesValue, timeout=40, wait_for_ready=True
    )
    time.sleep(0.5)
    was_done = future.done()
    backends[1].start()

    assert not was_done
    assert future.result().value == b"x"


def test_a_proxy_that_does_not_wait_is_unavailable(scheme: str, impatient_proxy: Proxy) -> None:
    if scheme == "tcp":
        pytest.skip("a proxy of connections ends them when all are silent")
    with trunkline.Channel(endpoint_of(scheme, impatient_proxy)) as channel:
        with pytest.raises(trunkline.Unavailable, match="HTTP status 504"):
            channel.call("interop.Grpc/Hang", Int64Value(), Int64Value, timeout=20)
