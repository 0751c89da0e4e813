# SPDX-License-Identifier: MIT
"""Channels over Connect, gRPC-Web and WebSocket, and proxies that speak HTTP/1.1 to both sides."""

from __future__ import annotations

import http.client
from collections.abc import Iterator

import pytest
import trunkline
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value

from .backends import Backend
from .calls import check_errors, check_metadata, echo
from .proxies import Proxy
from .waiting import wait_until

Backends = tuple[Backend, Backend]


@pytest.fixture(params=["http", "grpc-web", "ws"])
def scheme(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def channel(scheme: str, proxy: Proxy) -> Iterator[trunkline.Channel]:
    with trunkline.Channel(f"{scheme}://{proxy.web}") as channel:
        yield channel


def chat(channel: trunkline.Channel, messages: list[BytesValue]) -> list[BytesValue]:
    """Sends all of them before it reads, because not every proxy passes anything on earlier."""
    with channel.stream("interop.Grpc/Chat", BytesValue, BytesValue, timeout=40) as stream:
        for message in messages:
            stream.write(message)
        stream.close_writes()
        return list(stream)


@pytest.mark.parametrize("size", [0, 1, 16384, 70000, 16 << 20])
def test_messages_of_every_size(channel: trunkline.Channel, size: int) -> None:
    message = BytesValue(value=b"x" * size)

    for _ in range(2):
        assert echo(channel, message) == message


def test_many_calls_at_once(channel: trunkline.Channel) -> None:
    messages = [BytesValue(value=str(number).encode() * 100) for number in range(1000)]

    assert list(channel.map("interop.Grpc/Echo", messages, BytesValue, timeout=40)) == messages


def test_streams_of_every_kind(channel: trunkline.Channel) -> None:
    sent = [BytesValue(value=bytes([i % 256]) * (i * 500)) for i in range(50)]

    numbers = channel.server_stream("interop.Grpc/Range", Int64Value(value=2000), Int64Value, timeout=20)
    assert [number.value for number in numbers] == list(range(2000))
    requests = (Int64Value(value=i) for i in range(1000))
    assert channel.client_stream("interop.Grpc/Sum", requests, Int64Value, timeout=20).value == 499500
    assert chat(channel, sent) == sent


def test_metadata(channel: trunkline.Channel) -> None:
    check_metadata(channel)


def test_errors(channel: trunkline.Channel) -> None:
    check_errors(channel)


def test_a_cancellation_reaches_the_handler(channel: trunkline.Channel, backends: Backends) -> None:
    future = channel.submit("interop.Grpc/Hang", Int64Value(), Int64Value)
    wait_until(lambda: sum(backend.hanging() for backend in backends) == 1, "the handler is not called")
    future.cancel()

    wait_until(lambda: sum(backend.cancelled() for backend in backends) == 1, "the handler is not cancelled")
    assert echo(channel, BytesValue(value=b"x")).value == b"x"


def test_a_call_goes_to_the_server_that_is_left(channel: trunkline.Channel, backends: Backends) -> None:
    echo(channel, BytesValue(value=b"x"))
    backends[0].kill()

    def pid() -> int | None:
        try:
            return int(channel.call("interop.Grpc/Process", Int64Value(), Int64Value, timeout=20).value)
        except trunkline.Unavailable:
            return None  # it was sent before the end of the connection had come

    wait_until(lambda: pid() == backends[1].pid, "no call goes to the other server")


def test_websockets_on_connections_that_had_requests(proxy: Proxy) -> None:
    message = BytesValue(value=b"x" * 1000)
    host, port = proxy.web.split(":")

    # The proxy then has connections to both servers, which it keeps.
    with trunkline.Channel(f"http://{proxy.web}") as requests:
        requests.call("interop.Grpc/Process", Int64Value(), Int64Value, timeout=20)
        assert list(requests.map("interop.Grpc/Echo", [message] * 200, BytesValue, timeout=40)) == [message] * 200
        for _ in range(10):
            with trunkline.Channel(f"ws://{proxy.web}") as channel:
                assert echo(channel, message) == message
                assert chat(channel, [message] * 10) == [message] * 10
            assert echo(requests, message) == message
    # A client that keeps its own connection, too.
    connection = http.client.HTTPConnection(host, int(port), timeout=20)
    connection.request("GET", "/page")
    assert connection.getresponse().read() != b""
    connection.request(
        "GET",
        "/",
        headers={
            "Upgrade": "websocket",
            "Connection": "Upgrade",
            "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Protocol": "trunkline.v1",
        },
    )
    assert connection.getresponse().status == 101
    connection.close()


def test_messages_of_a_stream_come_when_they_are_sent(proxy: Proxy) -> None:
    with trunkline.Channel(f"ws://{proxy.web}") as channel:
        with channel.stream("interop.Grpc/Chat", BytesValue, BytesValue, timeout=40) as stream:
            for number in range(20):
                message = BytesValue(value=bytes([number]))
                stream.write(message)
                assert stream.read() == message
            stream.close_writes()
            assert list(stream) == []
