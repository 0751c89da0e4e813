# SPDX-License-Identifier: MIT
"""grpc-requests: calls of every kind with messages as dictionaries, by grpcio-reflection, also from asyncio."""

import implementation  # isort: skip

import asyncio
from typing import Any

import grpc
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from grpc_reflection.v1alpha import reflection
from grpc_requests import Client
from grpc_requests.aio import AsyncClient
from serving import SOON, method, service, serving

KINDS = {"Upper": "unary_unary", "Letters": "unary_stream", "Join": "stream_unary", "Echo": "stream_stream"}


def make_pool() -> descriptor_pool.DescriptorPool:
    """The definitions that the server tells of."""
    file = descriptor_pb2.FileDescriptorProto(name="requests_text.proto", package="test", syntax="proto3")
    line = file.message_type.add(name="Line")
    line.field.add(name="value", number=1, type=descriptor_pb2.FieldDescriptorProto.TYPE_STRING)
    text = file.service.add(name="Text")
    for name, kind in KINDS.items():
        asking, answering = kind.split("_")
        added = text.method.add(name=name, client_streaming=asking == "stream", server_streaming=answering == "stream")
        added.input_type = added.output_type = ".test.Line"
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return pool


POOL = make_pool()
Line = message_factory.GetMessageClass(POOL.FindMessageTypeByName("test.Line"))


def upper(request: Any, context: Any) -> Any:
    if not request.value:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no text")
    return Line(value=request.value.upper())


def letters(request: Any, context: Any) -> Any:
    for letter in request.value:
        yield Line(value=letter)


def join(requests: Any, context: Any) -> Any:
    return Line(value="".join(request.value for request in requests))


def echo(requests: Any, context: Any) -> Any:
    yield from requests


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
    behaviors = {"Upper": upper, "Letters": letters, "Join": join, "Echo": echo}
    methods = {name: method(kind, behaviors[name], Line, Line) for name, kind in KINDS.items()}
    names = ("test.Text", reflection.SERVICE_NAME)
    services = (
        service("test.Text", **methods),
        lambda server: reflection.enable_server_reflection(names, server, pool=POOL),
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
