# SPDX-License-Identifier: MIT
"""Calls of blocking clients to blocking servers."""

from __future__ import annotations

import queue
import threading
from collections.abc import Iterator
from typing import Any

import pytest
import trunkline.grpc
from google.protobuf.wrappers_pb2 import StringValue

from .pairs import SOON, Pair, method, serving, text


def upper(request: StringValue, context: Any) -> StringValue:
    return text(request.value.upper())


def letters(request: StringValue, context: Any) -> Iterator[StringValue]:
    for letter in request.value:
        yield text(letter)


def joined(requests: Iterator[StringValue], context: Any) -> StringValue:
    return text("".join(request.value for request in requests))


def echo(requests: Iterator[StringValue], context: Any) -> Iterator[StringValue]:
    for request in requests:
        yield text(request.value + request.value)


METHODS = {
    "Upper": ("unary_unary", upper),
    "Letters": ("unary_stream", letters),
    "Joined": ("stream_unary", joined),
    "Echo": ("stream_stream", echo),
}


def test_unary_call(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "A"


def test_unary_call_with_its_call(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        response, call = method(channel, "Upper", "unary_unary").with_call(text("a"), timeout=SOON)

        assert response.value == "A"
        assert isinstance(call, pair.client.Call)
        assert call.code() is pair.client.StatusCode.OK
        assert not call.is_active()


def test_unary_future(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        future = method(channel, "Upper", "unary_unary").future(text("a"), timeout=SOON)

        assert isinstance(future, pair.client.Future)
        assert isinstance(future, pair.client.Call)
        assert future.result(SOON).value == "A"
        assert future.done() and not future.running() and not future.cancelled()
        assert future.exception() is None and future.traceback() is None
        assert future.code() is pair.client.StatusCode.OK


def test_unary_future_runs_callbacks(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        done = threading.Event()
        results: list[str] = []

        def take(future: Any) -> None:
            results.append(future.result().value)
            done.set()

        future = method(channel, "Upper", "unary_unary").future(text("a"), timeout=SOON)
        future.add_done_callback(take)

        assert done.wait(SOON)
        assert results == ["A"]
        future.add_done_callback(take)  # at once
        assert results == ["A", "A"]


def test_a_future_outlives_the_channel(pair: Pair) -> None:
    go_on = threading.Event()

    def wait(request: StringValue, context: Any) -> StringValue:
        assert go_on.wait(SOON)
        return request

    with serving(pair.server, {"Wait": ("unary_unary", wait)}) as target:
        future = method(pair.client.insecure_channel(target), "Wait", "unary_unary").future(text("a"), timeout=SOON)
        go_on.set()

        assert future.result().value == "a"


def test_many_futures(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        upper_of = method(channel, "Upper", "unary_unary")

        found = [upper_of.future(text(f"a{n}"), timeout=SOON) for n in range(200)]

        assert [future.result().value for future in found] == [f"A{n}" for n in range(200)]


def test_stream_of_responses(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        call = method(channel, "Letters", "unary_stream")(text("abc"), timeout=SOON)

        assert [response.value for response in call] == ["a", "b", "c"]
        assert call.code() is pair.client.StatusCode.OK
        assert not call.is_active()


def test_stream_of_requests(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        joined_of = method(channel, "Joined", "stream_unary")
        requests = [text("a"), text("b")]

        assert joined_of(iter(requests), timeout=SOON).value == "ab"
        response, call = joined_of.with_call(iter(requests), timeout=SOON)
        assert response.value == "ab" and call.code() is pair.client.StatusCode.OK
        future = joined_of.future(iter(requests), timeout=SOON)
        assert future.result(SOON).value == "ab"


def test_streams_in_both_directions(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        call = method(channel, "Echo", "stream_stream")((text(str(n)) for n in range(100)), timeout=SOON)

        assert [response.value for response in call] == [f"{n}{n}" for n in range(100)]


def test_streams_answer_each_other(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        answered = threading.Semaphore(0)

        def requests() -> Iterator[StringValue]:
            for n in range(10):
                yield text(str(n))
                assert answered.acquire(timeout=SOON)

        found = []
        for response in method(channel, "Echo", "stream_stream")(requests(), timeout=SOON):
            found.append(response.value)
            answered.release()

        assert found == [f"{n}{n}" for n in range(10)]


def test_messages_without_serializers_are_bytes(pair: Pair) -> None:
    from concurrent import futures

    server = pair.server.server(futures.ThreadPoolExecutor(2))
    reverse = pair.server.unary_unary_rpc_method_handler(lambda request, context: request[::-1])
    server.add_generic_rpc_handlers(
        (pair.server.method_handlers_generic_handler("test.Bytes", {"Reverse": reverse}),)
    )
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        assert channel.unary_unary("/test.Bytes/Reverse")(b"abc", timeout=SOON) == b"cba"
        assert channel.unary_unary("/test.Bytes/Reverse")(b"", timeout=SOON) == b""
    server.stop(None).wait(SOON)


def test_long_messages(pair: Pair) -> None:
    with serving(pair.server, METHODS) as target, pair.client.insecure_channel(target) as channel:
        value = "x" * (3 << 20)

        assert method(channel, "Upper", "unary_unary")(text(value), timeout=SOON).value == value.upper()


def test_closed_channel_refuses_calls(pair: Pair) -> None:
    channel = pair.client.insecure_channel("127.0.0.1:9")
    channel.close()

    with pytest.raises(ValueError):
        method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)
    with pytest.raises(ValueError):
        method(channel, "Letters", "unary_stream")(text("a"), timeout=SOON)


def test_a_closed_channel_is_shut_down() -> None:
    """Grpcio raises ValueError on a thread of its own, where nobody sees it but standard error."""
    channel = trunkline.grpc.insecure_channel("127.0.0.1:9")
    channel.close()
    states: queue.SimpleQueue[trunkline.grpc.ChannelConnectivity] = queue.SimpleQueue()

    channel.subscribe(states.put, try_to_connect=True)

    assert states.get(timeout=SOON) is trunkline.grpc.ChannelConnectivity.SHUTDOWN
