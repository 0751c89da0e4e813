# SPDX-License-Identifier: MIT
"""grpc-requests: calls of every kind with messages as dictionaries, by grpcio-reflection's service, also from asyncio."""

import implementation  # isort: skip

import asyncio
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, wrappers_pb2
from google.protobuf.wrappers_pb2 import StringValue
from grpc_reflection.v1alpha import reflection
from grpc_requests import Client
from grpc_requests.aio import AsyncClient
from serving import SOON, method, service, serving


def upper(request: StringValue, context: Any) -> StringValue:
    if not request.value:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no text")
    return StringValue(value=request.value.upper())


def letters(request: StringValue, context: Any) -> Any:
    for letter in request.value:
        yield StringValue(value=letter)


def join(requests: Any, context: Any) -> StringValue:
    return StringValue(value="".join(request.value for request in requests))


def echo(requests: Any, context: Any) -> Any:
    yield from requests


KINDS = {
    "Upper": ("unary_unary", upper),
    "Letters": ("unary_stream", letters),
    "Join": ("stream_unary", join),
    "Echo": ("stream_stream", echo),
}


def make_pool() -> descriptor_pool.DescriptorPool:
    """The definitions that the server tells of: those of its service, beside those of protobuf."""
    file = descriptor_pb2.FileDescriptorProto(
        name="requests_text.proto", package="test", dependency=["google/protobuf/wrappers.proto"], syntax="proto3"
    )
    text = file.service.add(name="Text")
    for name, (kind, _) in KINDS.items():
        asking, answering = kind.split("_")
        added = text.method.add(name=name, client_streaming=asking == "stream", server_streaming=answering == "stream")
        added.input_type = added.output_type = ".google.protobuf.StringValue"
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(wrappers_pb2.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(file.SerializeToString())
    return pool


def refusal(make: Any) -> Any:
    try:
        make()
    except grpc.RpcError as error:
        return error
    raise AssertionError("the call did not fail")


async def call_async(target: str) -> None:
    client = AsyncClient(target)
    text = await client.service("test.Text")
    assert (await text.Upper({"value": "a"}, timeout=SOON))["value"] == "A"
    assert [each["value"] async for each in await text.Letters({"value": "abc"}, timeout=SOON)] == ["a", "b", "c"]


def main() -> None:
    methods = {name: method(kind, behavior, StringValue, StringValue) for name, (kind, behavior) in KINDS.items()}
    names = ("test.Text", reflection.SERVICE_NAME)
    pool = make_pool()
    services = (
        service("test.Text", **methods),
        lambda server: reflection.enable_server_reflection(names, server, pool=pool),
    )
    with serving(*services) as target:
        client = Client.get_by_endpoint(target)
        assert sorted(client.service_names) == sorted(names)
        text = client.service("test.Text")
        assert text.Upper({"value": "a"}, timeout=SOON)["value"] == "A"
        error = refusal(lambda: text.Upper({"value": ""}, timeout=SOON))
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT and error.details() == "there is no text"
        assert [each["value"] for each in text.Letters({"value": "abc"}, timeout=SOON)] == ["a", "b", "c"]
        assert text.Join([{"value": "d"}, {"value": "e"}], timeout=SOON)["value"] == "de"
        assert [each["value"] for each in text.Echo([{"value": "f"}, {"value": "g"}], timeout=SOON)] == ["f", "g"]
        asyncio.run(call_async(target))


if __name__ == "__main__":
    main()
    implementation.check()
