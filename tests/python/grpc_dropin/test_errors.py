# SPDX-License-Identifier: MIT
"""How calls of blocking clients end with errors."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue

import trunkline.grpc

from .pairs import SOON, Pair, method, serving, text


def test_abort_has_its_code_details_and_metadata(pair: Pair) -> None:
    def refuse(request: StringValue, context: Any) -> None:
        context.set_trailing_metadata((("reason", "none"), ("key-bin", b"\x00\xff")))
        context.abort(pair.server.StatusCode.NOT_FOUND, "no such thing: 100 %")

    methods = {"Refuse": ("unary_unary", refuse)}
    with serving(pair.server, methods) as target, pair.client.insecure_channel(target) as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Refuse", "unary_unary")(text("a"), timeout=SOON)

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.NOT_FOUND
    assert error.details() == "no such thing: 100 %"
    metadata = [(each.key, each.value) for each in error.trailing_metadata()]
    assert ("reason", "none") in metadata and ("key-bin", b"\x00\xff") in metadata
    assert isinstance(error, pair.client.Call)
    assert "NOT_FOUND" in str(error) and "no such thing" in str(error)


def test_set_code_and_details(pair: Pair) -> None:
    def exhausted(request: StringValue, context: Any) -> StringValue:
        context.set_code(pair.server.StatusCode.RESOURCE_EXHAUSTED)
        context.set_details("enough")
        assert context.code() is pair.server.StatusCode.RESOURCE_EXHAUSTED
        return text("unused")

    methods = {"Exhausted": ("unary_unary", exhausted)}
    with serving(pair.server, methods) as target, pair.client.insecure_channel(target) as channel:
        future = method(channel, "Exhausted", "unary_unary").future(text("a"), timeout=SOON)

        error = future.exception(SOON)
        assert error.code() is pair.client.StatusCode.RESOURCE_EXHAUSTED
        assert error.details() == "enough"
        assert future.code() is pair.client.StatusCode.RESOURCE_EXHAUSTED
        with pytest.raises(pair.client.RpcError):
            future.result(SOON)


def test_exception_of_a_handler_is_unknown(pair: Pair) -> None:
    def fail(request: StringValue, context: Any) -> StringValue:
        raise ValueError("broken")

    methods = {"Fail": ("unary_unary", fail)}
    with serving(pair.server, methods) as target, pair.client.insecure_channel(target) as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Fail", "unary_unary")(text("a"), timeout=SOON)

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.UNKNOWN
    assert error.details() == "Exception calling application: broken"


def test_exception_amid_a_stream(pair: Pair) -> None:
    def fail(request: StringValue, context: Any) -> Iterator[StringValue]:
        yield text("one")
        raise ValueError("broken")

    methods = {"Fail": ("unary_stream", fail)}
    with serving(pair.server, methods) as target, pair.client.insecure_channel(target) as channel:
        call = method(channel, "Fail", "unary_stream")(text("a"), timeout=SOON)

        assert next(call).value == "one"
        with pytest.raises(pair.client.RpcError) as raised:
            next(call)
        error: Any = raised.value
        assert error.code() is pair.client.StatusCode.UNKNOWN
        assert error.details() == "Exception iterating responses: broken"


def test_unknown_method_is_unimplemented(pair: Pair) -> None:
    with serving(pair.server, {}) as target, pair.client.insecure_channel(target) as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Missing", "unary_unary")(text("a"), timeout=SOON)

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.UNIMPLEMENTED


def test_undecodable_messages_are_internal(pair: Pair) -> None:
    def same(request: StringValue, context: Any) -> StringValue:
        return text("ab")

    def undecodable(data: bytes) -> Any:
        raise ValueError("undecodable")

    with serving(pair.server, {"Same": ("unary_unary", same)}) as target:
        with pair.client.insecure_channel(target) as channel:
            with pytest.raises(pair.client.RpcError) as raised:
                channel.unary_unary("/test.Text/Same")(b"\xff\xff", timeout=SOON)
            error: Any = raised.value
            assert error.code() is pair.client.StatusCode.INTERNAL
            assert error.details() == "Exception deserializing request!"

            with pytest.raises(pair.client.RpcError) as raised:
                channel.unary_unary("/test.Text/Same", None, undecodable)(b"", timeout=SOON)
            error = raised.value
            assert error.code() is pair.client.StatusCode.INTERNAL
            assert error.details() == "Exception deserializing response!"

            with pytest.raises(pair.client.RpcError) as raised:
                channel.unary_unary("/test.Text/Same", undecodable)(b"", timeout=SOON)
            error = raised.value
            assert error.code() is pair.client.StatusCode.INTERNAL
            assert error.details() == "Exception serializing request!"


def test_response_that_cannot_be_serialized_is_internal(pair: Pair) -> None:
    methods: Any = {"Wrong": ("unary_unary", lambda request, context: 5)}
    with serving(pair.server, methods) as target, pair.client.insecure_channel(target) as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Wrong", "unary_unary")(text("a"), timeout=SOON)

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.INTERNAL
    assert error.details() == "Failed to serialize response!"


def test_exception_of_the_requests_ends_the_call(pair: Pair) -> None:
    def joined(requests: Iterator[StringValue], context: Any) -> StringValue:
        return text("".join(request.value for request in requests))

    def requests() -> Iterator[StringValue]:
        yield text("a")
        raise ValueError("broken")

    methods = {"Joined": ("stream_unary", joined)}
    with serving(pair.server, methods) as target, pair.client.insecure_channel(target) as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Joined", "stream_unary")(requests(), timeout=SOON)

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.UNKNOWN
    assert error.details() == "Exception iterating requests!"


def test_deadline(pair: Pair) -> None:
    released = threading.Event()

    def wait(request: StringValue, context: Any) -> StringValue:
        assert 0 < context.time_remaining() < 0.3
        released.wait(SOON)
        return request

    with serving(pair.server, {"Wait": ("unary_unary", wait)}) as target:
        with pair.client.insecure_channel(target) as channel:
            with pytest.raises(pair.client.RpcError) as raised:
                method(channel, "Wait", "unary_unary")(text("a"), timeout=0.2)
            released.set()

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.DEADLINE_EXCEEDED
    # The timer of either side may be the first.
    assert error.details().lower() == "deadline exceeded"


def test_cancelled_future(pair: Pair) -> None:
    begun, ended, left = threading.Event(), threading.Event(), threading.Event()

    def wait(request: StringValue, context: Any) -> StringValue:
        assert context.add_callback(ended.set)
        begun.set()
        assert ended.wait(SOON)
        assert not context.is_active()
        left.set()
        return request

    with serving(pair.server, {"Wait": ("unary_unary", wait)}) as target:
        with pair.client.insecure_channel(target) as channel:
            future = method(channel, "Wait", "unary_unary").future(text("a"), timeout=SOON)
            assert begun.wait(SOON)

            future.cancel()

            assert future.cancelled()
            with pytest.raises(pair.client.FutureCancelledError):
                future.result(SOON)
            assert future.code() is pair.client.StatusCode.CANCELLED
            assert left.wait(SOON)


def test_cancelled_stream(pair: Pair) -> None:
    ended = threading.Event()

    def count(request: StringValue, context: Any) -> Iterator[StringValue]:
        context.add_callback(ended.set)
        yield text("0")
        assert ended.wait(SOON)

    with serving(pair.server, {"Count": ("unary_stream", count)}) as target:
        with pair.client.insecure_channel(target) as channel:
            call = method(channel, "Count", "unary_stream")(text("a"), timeout=SOON)
            assert next(call).value == "0"

            call.cancel()

            with pytest.raises(pair.client.RpcError) as raised:
                next(call)
            error: Any = raised.value
            assert error.code() is pair.client.StatusCode.CANCELLED
            assert error.details() == "Locally cancelled by application!"
            assert ended.wait(SOON)


def test_future_that_is_not_done_in_time(pair: Pair) -> None:
    released = threading.Event()

    def wait(request: StringValue, context: Any) -> StringValue:
        released.wait(SOON)
        return request

    with serving(pair.server, {"Wait": ("unary_unary", wait)}) as target:
        with pair.client.insecure_channel(target) as channel:
            future = method(channel, "Wait", "unary_unary").future(text("a"), timeout=SOON)

            with pytest.raises(pair.client.FutureTimeoutError):
                future.result(0.01)
            assert future.running() and not future.done() and future.is_active()
            assert 0 < future.time_remaining() <= SOON
            released.set()
            assert future.result(SOON).value == "a"


def test_unreachable_server_is_unavailable(pair: Pair) -> None:
    with serving(pair.server, {}) as target:
        pass
    with pair.client.insecure_channel(target) as channel:
        with pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Missing", "unary_unary")(text("a"), timeout=SOON)

        error: Any = raised.value
        assert error.code() is pair.client.StatusCode.UNAVAILABLE

        call = method(channel, "Missing", "unary_stream")(text("a"), timeout=SOON)
        with pytest.raises(pair.client.RpcError) as raised:
            next(call)
        assert call.code() is pair.client.StatusCode.UNAVAILABLE


def test_server_with_too_many_calls_refuses(pair: Pair) -> None:
    begun, released = threading.Event(), threading.Event()

    def wait(request: StringValue, context: Any) -> StringValue:
        begun.set()
        released.wait(SOON)
        return request

    methods = {"Wait": ("unary_unary", wait)}
    with serving(pair.server, methods, maximum_concurrent_rpcs=1) as target:
        with pair.client.insecure_channel(target) as channel:
            first = method(channel, "Wait", "unary_unary").future(text("a"), timeout=SOON)
            assert begun.wait(SOON)

            with pytest.raises(pair.client.RpcError) as raised:
                method(channel, "Wait", "unary_unary")(text("b"), timeout=SOON)

            error: Any = raised.value
            assert error.code() is pair.client.StatusCode.RESOURCE_EXHAUSTED
            released.set()
            assert first.result(SOON).value == "a"


def test_exception_that_cannot_be_printed(pair: Pair) -> None:
    class UnprintableError(Exception):
        def __str__(self) -> str:
            raise ValueError("nested")

    def fail(request: StringValue, context: Any) -> StringValue:
        raise UnprintableError

    with serving(pair.server, {"Fail": ("unary_unary", fail)}) as target:
        with pair.client.insecure_channel(target) as channel, pytest.raises(pair.client.RpcError) as raised:
            method(channel, "Fail", "unary_unary")(text("a"), timeout=SOON)

    error: Any = raised.value
    assert error.code() is pair.client.StatusCode.UNKNOWN
    assert error.details() == "Calling application raised unprintable Exception!"


def test_details_of_a_status_that_are_none_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    def fail(request: StringValue, context: Any) -> StringValue:
        context.set_code(trunkline.grpc.StatusCode.NOT_FOUND)
        context.set_trailing_metadata((("grpc-status-details-bin", b"\xff\xfe\xfd"), ("key", "v")))
        return request

    with serving(trunkline.grpc, {"Fail": ("unary_unary", fail)}) as target:
        with trunkline.grpc.insecure_channel(target) as channel, pytest.raises(trunkline.grpc.RpcError) as raised:
            method(channel, "Fail", "unary_unary")(text("a"), timeout=SOON)

    error: Any = raised.value
    assert error.code() is trunkline.grpc.StatusCode.NOT_FOUND
    assert error.trailing_metadata() == (("key", "v"),)
    assert "is no google.rpc.Status" in caplog.text
