# SPDX-License-Identifier: MIT
"""A user's tests by the fixtures of pytest-grpc. use_pytest_grpc.py runs them."""

from typing import Any

import grpc
import pytest
from google.protobuf.wrappers_pb2 import StringValue

grpc_max_workers = 4


class Text:
    """A servicer."""

    def upper(self, request: StringValue, context: Any) -> StringValue:
        if not request.value:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no text")
        return StringValue(value=request.value.upper())

    def letters(self, request: StringValue, context: Any) -> Any:
        for letter in request.value:
            yield StringValue(value=letter)


class Stub:
    def __init__(self, channel: Any) -> None:
        write, read = StringValue.SerializeToString, StringValue.FromString
        self.upper = channel.unary_unary("/test.Text/Upper", request_serializer=write, response_deserializer=read)
        self.letters = channel.unary_stream("/test.Text/Letters", request_serializer=write, response_deserializer=read)


@pytest.fixture(scope="module")
def grpc_add_to_server() -> Any:
    def add(servicer: Text, server: Any) -> None:
        read, write = StringValue.FromString, StringValue.SerializeToString
        handlers = {
            "Upper": grpc.unary_unary_rpc_method_handler(servicer.upper, read, write),
            "Letters": grpc.unary_stream_rpc_method_handler(servicer.letters, read, write),
        }
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("test.Text", handlers),))

    return add


@pytest.fixture(scope="module")
def grpc_servicer() -> Text:
    return Text()


@pytest.fixture(scope="module")
def grpc_stub_cls(grpc_channel: Any) -> Any:
    return Stub


def test_answer(grpc_stub: Stub) -> None:
    assert grpc_stub.upper(StringValue(value="a")).value == "A"


def test_stream(grpc_stub: Stub) -> None:
    assert [each.value for each in grpc_stub.letters(StringValue(value="abc"))] == ["a", "b", "c"]


def test_error(grpc_stub: Stub) -> None:
    with pytest.raises(grpc.RpcError) as raised:
        grpc_stub.upper(StringValue())
    assert raised.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert raised.value.details() == "there is no text"
