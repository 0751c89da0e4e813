# SPDX-License-Identifier: MIT
"""Clients of grpcio, and proxies that balance HTTP/2 calls."""

from __future__ import annotations

import queue
import time
from collections.abc import Iterator
from typing import Any

import grpc
import pytest
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value, StringValue

from .backends import Backend
from .load import Load
from .proxies import Proxy
from .waiting import wait_until, wait_until_still

BYTES = (BytesValue.SerializeToString, BytesValue.FromString)
INT = (Int64Value.SerializeToString, Int64Value.FromString)
TEXT = (StringValue.SerializeToString, StringValue.FromString)
# grpcio's own limits are not what is tested, and a call that fails is not to be repeated behind our back.
OPTIONS = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1), ("grpc.enable_retries", 0)]

Backends = tuple[Backend, Backend]


class Methods:
    def __init__(self, channel: grpc.Channel) -> None:
        self.echo = channel.unary_unary("/interop.Grpc/Echo", *BYTES)
        self.fail = channel.unary_unary("/interop.Grpc/Fail", *TEXT)
        self.missing = channel.unary_unary("/interop.Grpc/Missing", *TEXT)
        self.hang = channel.unary_unary("/interop.Grpc/Hang", *INT)
        self.process = channel.unary_unary("/interop.Grpc/Process", *INT)
        self.range = channel.unary_stream("/interop.Grpc/Range", *INT)
        self.sum = channel.stream_unary("/interop.Grpc/Sum", *INT)
        self.chat = channel.stream_stream("/interop.Grpc/Chat", *BYTES)

    def pid(self) -> int:
        return int(self.process(Int64Value(), timeout=20).value)

    def error_of(self, method: Any, request: Any, **options: Any) -> Any:
        with pytest.raises(grpc.RpcError) as raised:
            method(request, **{"timeout": 20, **options})
        return raised.value


@pytest.fixture
def methods(proxy: Proxy) -> Iterator[Methods]:
    with grpc.insecure_channel(proxy.grpc, OPTIONS) as channel:
        yield Methods(channel)


def test_calls_of_one_channel_are_spread(methods: Methods, backends: Backends) -> None:
    assert {methods.pid() for _ in range(20)} == {backend.pid for backend in backends}


@pytest.mark.parametrize("size", [0, 1, 16384, 70000, 1 << 20, 16 << 20])
def test_messages_of_every_size(methods: Methods, size: int) -> None:
    message = BytesValue(value=b"x" * size)

    for _ in range(2):
        assert methods.echo(message, timeout=40) == message


def test_many_calls_at_once(methods: Methods) -> None:
    messages = [BytesValue(value=str(number).encode() * 100) for number in range(300)]

    calls = [methods.echo.future(message, timeout=40) for message in messages]

    assert [call.result() for call in calls] == messages


def test_streams_of_every_kind(methods: Methods) -> None:
    sent = [BytesValue(value=bytes([i % 256]) * (i * 500)) for i in range(100)]

    assert [value.value for value in methods.range(Int64Value(value=2000), timeout=20)] == list(range(2000))
    assert list(methods.range(Int64Value(), timeout=20)) == []
    assert methods.sum((Int64Value(value=i) for i in range(1000)), timeout=20).value == 499500
    assert methods.sum(iter(()), timeout=20).value == 0
    assert list(methods.chat(iter(sent), timeout=40)) == sent


def test_messages_of_a_stream_are_not_held_back(methods: Methods) -> None:
    pending: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
    pending.put(b"first")

    last = b""
    call = methods.chat((BytesValue(value=value) for value in iter(pending.get, None)), timeout=20)
    for number, response in enumerate(call):
        last = response.value
        pending.put(last + b"." if number < 50 else None)

    assert last == b"first" + b"." * 50


def test_metadata(methods: Methods) -> None:
    sent = (
        ("leading-text", "a b"),
        ("leading-bytes-bin", b"\x00\xff,"),
        ("trailing-text", "c"),
        ("trailing-bytes-bin", b"\x00"),
        ("leading-long", "x" * 2000),
    )

    _, call = methods.echo.with_call(BytesValue(), timeout=20, metadata=sent)

    leading, trailing = dict(call.initial_metadata()), dict(call.trailing_metadata())
    for name, value in sent:
        assert (leading if name.startswith("leading") else trailing)[name] == value


def test_errors_without_a_response(methods: Methods) -> None:
    error = methods.error_of(methods.fail, StringValue(), metadata=(("trailing-a", "b"),))

    assert (error.code(), error.details()) == (grpc.StatusCode.FAILED_PRECONDITION, "100 % café\n")
    trailing = dict(error.trailing_metadata())
    assert trailing["trailing-a"] == "b"
    assert b"google.protobuf.Duration" in trailing["grpc-status-details-bin"]
    assert methods.error_of(methods.missing, StringValue()).code() is grpc.StatusCode.UNIMPLEMENTED


def cancelled(backends: Backends) -> int:
    return sum(backend.cancelled() for backend in backends)


def test_a_deadline_cancels_the_handler(methods: Methods, backends: Backends) -> None:
    error = methods.error_of(methods.hang, Int64Value(), timeout=2)

    assert error.code() is grpc.StatusCode.DEADLINE_EXCEEDED
    wait_until(lambda: cancelled(backends) == 1, "the handler is not cancelled")


def test_a_cancellation_reaches_the_handler(methods: Methods, backends: Backends) -> None:
    call = methods.hang.future(Int64Value())
    wait_until(lambda: sum(backend.hanging() for backend in backends) == 1, "the handler is not called")
    begun = time.monotonic()
    call.cancel()

    wait_until(lambda: cancelled(backends) == 1, "the handler is not cancelled")
    assert time.monotonic() - begun < 20
    stream = methods.range(Int64Value(value=10**9), timeout=40)
    assert next(stream).value == 0
    stream.cancel()
    assert methods.echo(BytesValue(value=b"x"), timeout=20).value == b"x"


def test_a_killed_server(methods: Methods, backends: Backends) -> None:
    hanging = [methods.hang.future(Int64Value(), timeout=40) for _ in range(8)]
    assert methods.pid() in {backend.pid for backend in backends}  # a call behind the others

    backends[0].kill()

    wait_until_still(lambda: sum(call.done() for call in hanging))
    pids = {methods.pid() for _ in range(50)}
    ended = [call for call in hanging if call.done()]
    for call in hanging:
        call.cancel()
    assert {call.code() for call in ended} == {grpc.StatusCode.UNAVAILABLE}
    assert 0 < len(ended) < 8
    assert pids == {backends[1].pid}


def test_a_drained_server_loses_no_call(methods: Methods, backends: Backends) -> None:
    message = BytesValue(value=b"x" * 1000)

    with Load(lambda: methods.echo(message, timeout=20)) as load:
        wait_until(lambda: load.calls > 100, "few calls")
        backends[0].begin_to_drain()
        backends[0].wait_until_drained()
        done = load.calls
        wait_until(lambda: load.calls > done + 100, "few calls after the drain")

    assert {methods.pid() for _ in range(20)} == {backends[1].pid}


def test_a_drained_server_ends_its_streams(methods: Methods, backends: Backends) -> None:
    """The streams of both servers go on until their client ends them."""
    pending: list[queue.SimpleQueue[bytes | None]] = [queue.SimpleQueue() for _ in range(6)]
    calls = [
        methods.chat((BytesValue(value=value) for value in iter(requests.get, None)), timeout=40)
        for requests in pending
    ]

    for requests, call in zip(pending, calls):
        requests.put(b"before")
        assert next(call).value == b"before"
    backends[0].begin_to_drain()
    for requests, call in zip(pending, calls):
        requests.put(b"after")
        assert next(call).value == b"after"
        requests.put(None)
        assert list(call) == []
        assert call.code() is grpc.StatusCode.OK

    backends[0].wait_until_drained()


def test_no_server_is_unavailable(methods: Methods, backends: Backends) -> None:
    for backend in backends:
        backend.kill()

    assert methods.error_of(methods.echo, BytesValue()).code() is grpc.StatusCode.UNAVAILABLE


def test_a_proxy_that_does_not_wait_is_unavailable(impatient_proxy: Proxy) -> None:
    with grpc.insecure_channel(impatient_proxy.grpc, OPTIONS) as channel:
        methods = Methods(channel)

        assert methods.error_of(methods.hang, Int64Value()).code() is grpc.StatusCode.UNAVAILABLE
