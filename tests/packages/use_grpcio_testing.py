# SPDX-License-Identifier: MIT
"""grpcio-testing: its channel and its server stand in for real ones, without a connection."""

import implementation  # isort: skip

from concurrent import futures
from typing import Any

import grpc
import grpc_testing
from google.protobuf import descriptor_pb2, descriptor_pool, wrappers_pb2
from google.protobuf.wrappers_pb2 import StringValue

SOON = 20


def make_descriptor() -> Any:
    """The descriptor of a service with a unary method and a stream both ways."""
    file = descriptor_pb2.FileDescriptorProto(
        name="testing_text.proto", package="test", dependency=["google/protobuf/wrappers.proto"], syntax="proto3"
    )
    text = file.service.add(name="Text")
    for name, streams in (("Upper", False), ("Echo", True)):
        method = text.method.add(name=name, client_streaming=streams, server_streaming=streams)
        method.input_type = method.output_type = ".google.protobuf.StringValue"
    pool = descriptor_pool.Default()
    pool.AddSerializedFile(wrappers_pb2.DESCRIPTOR.serialized_pb)
    pool.AddSerializedFile(file.SerializeToString())
    return pool.FindServiceByName("test.Text")


def call(channel: Any, name: str, kind: str) -> Any:
    return getattr(channel, kind)(f"/test.Text/{name}", StringValue.SerializeToString, StringValue.FromString)


def check_channel(text: Any, pool: futures.Executor) -> None:
    channel = grpc_testing.channel([text], grpc_testing.strict_real_time())
    upper = text.methods_by_name["Upper"]

    asked = pool.submit(lambda: call(channel, "Upper", "unary_unary").with_call(StringValue(value="a"), timeout=SOON))
    _, request, made = channel.take_unary_unary(upper)
    assert request.value == "a"
    made.send_initial_metadata((("a", "1"),))
    made.terminate(StringValue(value="A"), (("b", "2"),), grpc.StatusCode.OK, "fine")
    response, done = asked.result(SOON)
    assert response.value == "A" and done.code() is grpc.StatusCode.OK
    assert ("b", "2") in [tuple(each) for each in done.trailing_metadata()], done.trailing_metadata()

    asked = pool.submit(lambda: call(channel, "Upper", "unary_unary")(StringValue(value="b"), timeout=SOON))
    _, _, made = channel.take_unary_unary(upper)
    made.terminate(None, (), grpc.StatusCode.NOT_FOUND, "there is none")
    error: Any = asked.exception(SOON)
    assert isinstance(error, grpc.RpcError) and error.code() is grpc.StatusCode.NOT_FOUND

    answers = call(channel, "Echo", "stream_stream")(iter([StringValue(value="c")]), timeout=SOON)
    _, stream = channel.take_stream_stream(text.methods_by_name["Echo"])
    assert stream.take_request().value == "c"
    stream.send_response(StringValue(value="d"))
    assert next(answers).value == "d"
    stream.requests_closed()
    stream.terminate((), grpc.StatusCode.OK, "")
    assert list(answers) == []
    channel.close()


class Text:
    """A servicer."""

    def Upper(self, request: StringValue, context: Any) -> StringValue:
        if not request.value:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no text")
        context.set_trailing_metadata((("length", str(len(request.value))),))
        return StringValue(value=request.value.upper())

    def Echo(self, requests: Any, context: Any) -> Any:
        yield from requests


def check_server(text: Any) -> None:
    server = grpc_testing.server_from_dictionary({text: Text()}, grpc_testing.strict_real_time())
    upper = text.methods_by_name["Upper"]

    response, trailers, code, _ = server.invoke_unary_unary(upper, (), StringValue(value="a"), SOON).termination()
    assert response.value == "A" and code is grpc.StatusCode.OK
    assert ("length", "1") in [tuple(each) for each in trailers], trailers

    _, _, code, details = server.invoke_unary_unary(upper, (), StringValue(), SOON).termination()
    assert code is grpc.StatusCode.INVALID_ARGUMENT and details == "there is no text"

    stream = server.invoke_stream_stream(text.methods_by_name["Echo"], (), SOON)
    stream.send_request(StringValue(value="b"))
    assert stream.take_response().value == "b"
    stream.requests_closed()
    _, code, _ = stream.termination()
    assert code is grpc.StatusCode.OK


def main() -> None:
    text = make_descriptor()
    with futures.ThreadPoolExecutor(2) as pool:
        check_channel(text, pool)
    check_server(text)


if __name__ == "__main__":
    main()
    implementation.check()
