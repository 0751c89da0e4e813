# SPDX-License-Identifier: MIT
"""Servers in Python answer clients of grpcio, on the port on which they answer the native protocol."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Iterator

import grpc
import pytest
from google.protobuf.wrappers_pb2 import Int64Value, StringValue

import trunkline
from trunkline import aio, services

from .waiting import wait_until


def target(running: trunkline.RunningServer | aio.RunningServer) -> str:
    """The server's address as grpcio has it."""
    return str(running.endpoint).removeprefix("tcp://")


@contextlib.contextmanager
def plain_server() -> Iterator[trunkline.RunningServer]:
    """A server of plain functions: a unary method, and a method of each kind of stream."""
    server = trunkline.Server()

    @server.method("example.Text/Upper")
    def upper(request: StringValue, context: trunkline.Context) -> StringValue:
        if not request.value:
            raise trunkline.InvalidArgument("upper: the text is empty: 0 %")
        context.add_trailing_metadata("length-bin", len(request.value).to_bytes(4, "big"))
        return StringValue(value=request.value.upper())

    @server.method("example.Text/Letters")
    def letters(request: StringValue) -> Iterator[StringValue]:
        for letter in request.value:
            yield StringValue(value=letter)

    @server.method("example.Text/Sum")
    def sum_of(requests: Iterator[Int64Value]) -> Int64Value:
        return Int64Value(value=sum(request.value for request in requests))

    @server.method("example.Text/Doubled")
    def doubled(requests: Iterator[Int64Value]) -> Iterator[Int64Value]:
        for request in requests:
            yield Int64Value(value=2 * request.value)

    with server.serve("tcp://127.0.0.1:0") as running:
        yield running


@contextlib.asynccontextmanager
async def asyncio_server() -> AsyncIterator[aio.RunningServer]:
    """A server of coroutines."""
    server = aio.Server()

    @server.method("example.Text/Upper")
    async def upper(request: StringValue) -> StringValue:
        await asyncio.sleep(0)
        return StringValue(value=request.value.upper())

    @server.method("example.Text/Doubled")
    async def doubled(requests: AsyncIterator[Int64Value]) -> AsyncIterator[Int64Value]:
        async for request in requests:
            yield Int64Value(value=2 * request.value)

    async with server.serve("tcp://127.0.0.1:0") as running:
        yield running


def test_unary_call_has_its_response_and_trailing_metadata() -> None:
    with plain_server() as running, grpc.insecure_channel(target(running)) as channel:
        upper = channel.unary_unary("/example.Text/Upper", StringValue.SerializeToString, StringValue.FromString)

        response, call = upper.with_call(StringValue(value="text"), timeout=10)

        assert response.value == "TEXT"
        assert ("length-bin", b"\x00\x00\x00\x04") in [(name, value) for name, value in call.trailing_metadata()]


def test_error_has_its_code_and_text() -> None:
    with plain_server() as running, grpc.insecure_channel(target(running)) as channel:
        upper = channel.unary_unary("/example.Text/Upper", StringValue.SerializeToString, StringValue.FromString)

        with pytest.raises(grpc.RpcError) as raised:
            upper(StringValue(), timeout=10)

        assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
        assert raised.value.details() == "upper: the text is empty: 0 %"


def test_unknown_method_is_unimplemented() -> None:
    with plain_server() as running, grpc.insecure_channel(target(running)) as channel:
        with pytest.raises(grpc.RpcError) as raised:
            channel.unary_unary("/example.Text/Lower")(b"", timeout=10)

        assert raised.value.code() is grpc.StatusCode.UNIMPLEMENTED


def test_streams_of_every_kind() -> None:
    with plain_server() as running, grpc.insecure_channel(target(running)) as channel:
        letters = channel.unary_stream("/example.Text/Letters", StringValue.SerializeToString, StringValue.FromString)
        total = channel.stream_unary("/example.Text/Sum", Int64Value.SerializeToString, Int64Value.FromString)
        doubled = channel.stream_stream("/example.Text/Doubled", Int64Value.SerializeToString, Int64Value.FromString)
        numbers = [Int64Value(value=number) for number in range(1000)]

        assert [letter.value for letter in letters(StringValue(value="abc"), timeout=10)] == ["a", "b", "c"]
        assert total(iter(numbers), timeout=10).value == 499500
        assert [number.value for number in doubled(iter(numbers), timeout=10)] == [2 * n for n in range(1000)]


def test_native_client_calls_the_same_server() -> None:
    with (
        plain_server() as running,
        grpc.insecure_channel(target(running)) as grpc_channel,
        trunkline.Channel(running.endpoint) as channel,
    ):
        upper = grpc_channel.unary_unary("/example.Text/Upper", StringValue.SerializeToString, StringValue.FromString)

        assert upper(StringValue(value="a"), timeout=10).value == "A"
        assert channel.call("example.Text/Upper", StringValue(value="b"), StringValue).value == "B"


def test_long_messages_at_once() -> None:
    text = "x" * (1 << 20)
    options = [("grpc.max_receive_message_length", 4 << 20)]
    with plain_server() as running, grpc.insecure_channel(target(running), options) as channel:
        upper = channel.unary_unary("/example.Text/Upper", StringValue.SerializeToString, StringValue.FromString)

        calls = [upper.future(StringValue(value=text), timeout=50) for _ in range(50)]

        assert {call.result().value == text.upper() for call in calls} == {True}


def test_health_and_reflection() -> None:
    server = trunkline.Server()

    @server.method("example.Text/Upper")
    def upper(request: StringValue) -> StringValue:
        return StringValue(value=request.value.upper())

    services.add_health(server)
    services.add_reflection(server)
    with server.serve("tcp://127.0.0.1:0") as running, grpc.insecure_channel(target(running)) as channel:
        health = channel.unary_unary("/grpc.health.v1.Health/Check")(b"", timeout=10)
        # HealthCheckResponse.status is SERVING.
        assert health == b"\x08\x01"

        for version in ("v1", "v1alpha"):
            reflect = channel.stream_stream(f"/grpc.reflection.{version}.ServerReflection/ServerReflectionInfo")
            # ServerReflectionRequest.list_services is "*".
            responses = list(reflect(iter([b"\x3a\x01*"]), timeout=10))
            assert len(responses) == 1
            assert b"example.Text" in responses[0]


def test_asyncio_server_answers_asyncio_client() -> None:
    async def run() -> None:
        async with asyncio_server() as running, grpc.aio.insecure_channel(target(running)) as channel:
            upper = channel.unary_unary("/example.Text/Upper", StringValue.SerializeToString, StringValue.FromString)
            doubled = channel.stream_stream(
                "/example.Text/Doubled", Int64Value.SerializeToString, Int64Value.FromString
            )

            responses = await asyncio.gather(*(upper(StringValue(value=f"n{n}"), timeout=10) for n in range(100)))
            assert [response.value for response in responses] == [f"N{n}" for n in range(100)]

            call = doubled(timeout=10)
            for number in range(10):
                await call.write(Int64Value(value=number))
                assert await call.read() == Int64Value(value=2 * number)
            await call.done_writing()
            assert await call.code() is grpc.StatusCode.OK

    asyncio.run(run())


def test_a_call_waits_for_the_handler_of_one_that_was_cancelled() -> None:
    started, finish = threading.Event(), threading.Event()
    server = trunkline.Server(threads=4, max_concurrent_calls_per_connection=1)

    @server.method("example.Text/Wait")
    def wait(request: StringValue) -> StringValue:
        started.set()
        finish.wait(20)
        return request

    @server.method("example.Text/Echo")
    def echo(request: StringValue) -> StringValue:
        return request

    with server.serve("tcp://127.0.0.1:0") as running, grpc.insecure_channel(target(running)) as channel:
        waiting = channel.unary_unary("/example.Text/Wait", StringValue.SerializeToString, StringValue.FromString)
        echoing = channel.unary_unary("/example.Text/Echo", StringValue.SerializeToString, StringValue.FromString)
        first = waiting.future(StringValue(value="first"), timeout=20)
        started.wait(20)
        second = echoing.future(StringValue(value="second"), timeout=20)
        first.cancel()
        wait_until(lambda: running.totals()["calls_started"] == 2)
        finish.set()

        assert second.result().value == "second"
