# SPDX-License-Identifier: MIT
"""The life of servers and channels."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from concurrent import futures
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue

from . import test_calls as calls
from .pairs import SOON, Pair, handler, method, serving, text


def make_server(pair: Pair, methods: Any, pool: Any = None) -> Any:
    server = pair.server.server(pool or futures.ThreadPoolExecutor(4))
    handlers = {name: handler(pair.server, kind, behavior) for name, (kind, behavior) in methods.items()}
    server.add_registered_method_handlers("test.Text", handlers)
    server.add_generic_rpc_handlers((pair.server.method_handlers_generic_handler("test.Text", handlers),))
    return server


def test_stop_with_grace_lets_calls_end(pair: Pair) -> None:
    begun, released = threading.Event(), threading.Event()

    def wait(request: StringValue, context: Any) -> StringValue:
        begun.set()
        released.wait(SOON)
        return request

    server = make_server(pair, {"Wait": ("unary_unary", wait)})
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    assert server.wait_for_termination(0.01) is True
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        future = method(channel, "Wait", "unary_unary").future(text("a"), timeout=SOON)
        assert begun.wait(SOON)

        stopped = server.stop(SOON)

        assert not stopped.is_set()
        released.set()
        assert future.result(SOON).value == "a"
        assert stopped.wait(SOON)
        assert server.wait_for_termination(SOON) is False


def test_stop_without_grace_cancels_calls(pair: Pair) -> None:
    begun, released = threading.Event(), threading.Event()

    def wait(request: StringValue, context: Any) -> StringValue:
        begun.set()
        released.wait(SOON)
        return request

    server = make_server(pair, {"Wait": ("unary_unary", wait)})
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        future = method(channel, "Wait", "unary_unary").future(text("a"), timeout=SOON)
        assert begun.wait(SOON)

        stopped = server.stop(None)

        assert isinstance(future.exception(SOON), pair.client.RpcError)
        released.set()
        assert stopped.wait(SOON)


def test_port_that_is_not_there_raises(pair: Pair) -> None:
    server = make_server(pair, {})

    with pytest.raises(RuntimeError):
        server.add_insecure_port("192.0.2.1:1")


def test_second_start_raises(pair: Pair) -> None:
    server = make_server(pair, {})
    server.add_insecure_port("127.0.0.1:0")
    server.start()

    with pytest.raises(ValueError):
        server.start()

    server.stop(None).wait(SOON)


def test_several_ports(pair: Pair) -> None:
    server = make_server(pair, calls.METHODS)
    ports = [server.add_insecure_port("127.0.0.1:0") for _ in range(2)]
    server.start()
    for port in ports:
        with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
            assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "A"
    server.stop(None).wait(SOON)


def test_every_address(pair: Pair) -> None:
    server = make_server(pair, calls.METHODS)
    port = server.add_insecure_port("[::]:0")
    server.start()
    for target in (f"127.0.0.1:{port}", f"localhost:{port}", f"dns:///localhost:{port}", f"ipv4:127.0.0.1:{port}"):
        with pair.client.insecure_channel(target) as channel:
            assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "A"
    server.stop(None).wait(SOON)


def test_unix_socket(pair: Pair, tmp_path: Path) -> None:
    server = make_server(pair, calls.METHODS)
    assert server.add_insecure_port(f"unix:{tmp_path}/socket") == 1
    server.start()
    for target in (f"unix:{tmp_path}/socket", f"unix://{tmp_path}/socket"):
        with pair.client.insecure_channel(target) as channel:
            assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "A"
    server.stop(None).wait(SOON)


def test_pool_with_an_initializer_runs_the_handlers(pair: Pair) -> None:
    local = threading.local()

    def initialize() -> None:
        local.value = "here"

    def look(request: StringValue, context: Any) -> StringValue:
        return text(local.value)

    pool = futures.ThreadPoolExecutor(2, initializer=initialize)
    server = make_server(pair, {"Look": ("unary_unary", look)}, pool)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        assert method(channel, "Look", "unary_unary")(text("a"), timeout=SOON).value == "here"
    server.stop(None).wait(SOON)


def test_channel_becomes_ready(pair: Pair) -> None:
    states: list[Any] = []
    ready = threading.Event()

    def take(state: Any) -> None:
        states.append(state)
        if state is pair.client.ChannelConnectivity.READY:
            ready.set()

    with serving(pair.server, calls.METHODS) as target:
        channel = pair.client.insecure_channel(target)
        channel.subscribe(take, try_to_connect=True)

        pair.client.channel_ready_future(channel).result(timeout=SOON)

        assert ready.wait(SOON)
        assert states[0] in (pair.client.ChannelConnectivity.IDLE, pair.client.ChannelConnectivity.CONNECTING)
        channel.unsubscribe(take)
        channel.close()


def test_channel_that_does_not_become_ready(pair: Pair) -> None:
    with pair.client.insecure_channel("127.0.0.1:9") as channel:
        future = pair.client.channel_ready_future(channel)

        with pytest.raises(pair.client.FutureTimeoutError):
            future.result(timeout=0.1)
        assert future.cancel() and future.cancelled()


def test_call_waits_for_the_server(pair: Pair) -> None:
    server = make_server(pair, calls.METHODS)
    with serving(pair.server, {}) as target:
        pass
    with pair.client.insecure_channel(target, [("grpc.initial_reconnect_backoff_ms", 100)]) as channel:
        future = method(channel, "Upper", "unary_unary").future(text("a"), timeout=SOON, wait_for_ready=True)

        server.add_insecure_port(target)
        server.start()

        assert future.result(SOON).value == "A"
    server.stop(None).wait(SOON)


def test_compression(pair: Pair) -> None:
    def upper(request: StringValue, context: Any) -> StringValue:
        context.set_compression(pair.server.Compression.Gzip)
        return text(request.value.upper())

    def letters(request: StringValue, context: Any) -> Iterator[StringValue]:
        for letter in request.value[:3]:
            context.disable_next_message_compression()
            yield text(letter * 5000)

    methods: Any = {"Upper": ("unary_unary", upper), "Letters": ("unary_stream", letters)}
    with serving(pair.server, methods, compression=pair.server.Compression.Gzip) as target:
        with pair.client.insecure_channel(target, compression=pair.client.Compression.Gzip) as channel:
            long = "a" * 100000
            assert method(channel, "Upper", "unary_unary")(text(long), timeout=SOON).value == long.upper()
            plain = pair.client.Compression.NoCompression
            call = method(channel, "Upper", "unary_unary")
            assert call(text(long), timeout=SOON, compression=plain).value == long.upper()
            found = method(channel, "Letters", "unary_stream")(text(long), timeout=SOON)
            assert [len(each.value) for each in found] == [5000] * 3


CONFIG = """{"methodConfig": [{"name": [{"service": "test.Text"}], "retryPolicy": {"maxAttempts": 4,
  "initialBackoff": "0.01s", "maxBackoff": "0.1s", "backoffMultiplier": 2,
  "retryableStatusCodes": ["UNAVAILABLE"]}}]}"""


def test_retry_policy_of_a_service_config(pair: Pair) -> None:
    attempts: list[str] = []

    def flaky(request: StringValue, context: Any) -> StringValue:
        attempts.append(request.value)
        if attempts.count(request.value) < 3:
            context.abort(pair.server.StatusCode.UNAVAILABLE, "come again")
        return request

    def refuse(request: StringValue, context: Any) -> None:
        attempts.append("refused")
        context.abort(pair.server.StatusCode.INVALID_ARGUMENT, "never")

    methods: Any = {"Flaky": ("unary_unary", flaky), "Refuse": ("unary_unary", refuse)}
    options = [("grpc.service_config", CONFIG), ("grpc.enable_retries", 1)]
    with serving(pair.server, methods) as target:
        with pair.client.insecure_channel(target, options) as channel:
            call = method(channel, "Flaky", "unary_unary")
            assert call(text("a"), timeout=SOON).value == "a"
            assert call.future(text("b"), timeout=SOON).result(SOON).value == "b"
            with pytest.raises(pair.client.RpcError):
                method(channel, "Refuse", "unary_unary")(text("c"), timeout=SOON)

        async def run() -> None:
            async with pair.client.aio.insecure_channel(target, options) as channel:
                call = method(channel, "Flaky", "unary_unary")(text("d"), timeout=SOON)
                assert (await call).value == "d"

        asyncio.run(run())
    assert sorted(attempts) == ["a", "a", "a", "b", "b", "b", "d", "d", "d", "refused"]


def test_longest_message(pair: Pair) -> None:
    options = [("grpc.max_receive_message_length", 1 << 20)]
    with serving(pair.server, calls.METHODS, options=options) as target:
        with pair.client.insecure_channel(target) as channel:
            with pytest.raises(pair.client.RpcError) as raised:
                method(channel, "Upper", "unary_unary")(text("a" * (2 << 20)), timeout=SOON)

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.RESOURCE_EXHAUSTED


@pytest.mark.parametrize("module", ["grpc", "trunkline.grpc"])
def test_process_ends_although_its_server_runs(module: str) -> None:
    program = f"""
from concurrent import futures
import {module} as grpc

server = grpc.server(futures.ThreadPoolExecutor(2))
server.add_insecure_port("127.0.0.1:0")
server.start()
# Found by the last garbage collection.
cycle = [server]
cycle.append(cycle)
"""

    subprocess.run([sys.executable, "-c", program], check=True, timeout=SOON)


class OtherExecutor(futures.Executor):
    """An executor that does not tell how many functions it runs at a time."""

    def __init__(self, size: int) -> None:
        self._pool = futures.ThreadPoolExecutor(size)

    def submit(self, *arguments: Any, **named: Any) -> Any:
        return self._pool.submit(*arguments, **named)

    def shutdown(self, *arguments: Any, **named: Any) -> None:
        self._pool.shutdown(*arguments, **named)


@pytest.mark.parametrize("kind", ["unary_unary", "unary_stream"])
def test_an_executor_runs_as_many_handlers_as_it_can(pair: Pair, kind: str) -> None:
    count = 40
    together = threading.Barrier(count)

    def meet(request: StringValue, context: Any) -> Any:
        together.wait(SOON)
        return request if kind == "unary_unary" else iter((request,))

    server = make_server(pair, {"Meet": (kind, meet)}, OtherExecutor(count))
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with pair.client.insecure_channel(f"127.0.0.1:{port}") as channel:
        for _ in range(2):
            begin = method(channel, "Meet", kind)
            if kind == "unary_unary":
                begun = [begin.future(text(str(number)), timeout=2 * SOON) for number in range(count)]
                assert [each.result().value for each in begun] == [str(number) for number in range(count)]
            else:
                begun = [begin(text(str(number)), timeout=2 * SOON) for number in range(count)]
                assert [next(each).value for each in begun] == [str(number) for number in range(count)]
    server.stop(None).wait(SOON)


def test_the_state_of_a_call_that_packages_read(pair: Pair) -> None:
    seen: list[Any] = []

    def look(request: StringValue, context: Any) -> StringValue:
        seen.append((context._state.client, context._state.code))
        context.set_code(pair.server.StatusCode.NOT_FOUND)
        seen.append((context._state.client, context._state.code))
        return request

    with serving(pair.server, {"Look": ("unary_unary", look)}) as target:
        with pair.client.insecure_channel(target) as channel, pytest.raises(pair.client.RpcError):
            method(channel, "Look", "unary_unary")(text(""), timeout=SOON)

    assert seen == [("open", None), ("open", pair.server.StatusCode.NOT_FOUND)]


def test_the_state_of_a_cancelled_call_that_packages_read(pair: Pair) -> None:
    begun, seen, ended = threading.Event(), [], threading.Event()

    def wait(request: StringValue, context: Any) -> StringValue:
        cancelled = threading.Event()
        context.add_callback(cancelled.set)
        begun.set()
        cancelled.wait(SOON)
        seen.append(context._state.client)
        ended.set()
        return request

    with serving(pair.server, {"Wait": ("unary_unary", wait)}) as target:
        with pair.client.insecure_channel(target) as channel:
            future = method(channel, "Wait", "unary_unary").future(text(""), timeout=SOON)
            assert begun.wait(SOON)
            future.cancel()
            assert ended.wait(SOON)

    assert seen == ["cancelled"]
