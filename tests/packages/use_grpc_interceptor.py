# SPDX-License-Identifier: MIT
"""grpc-interceptor: interceptors of servers and clients, blocking and asynchronous, and its errors as statuses."""

import implementation  # isort: skip

import asyncio
from typing import Any

import grpc
from google.protobuf.wrappers_pb2 import StringValue
from grpc_interceptor import AsyncServerInterceptor, ClientInterceptor, ServerInterceptor
from grpc_interceptor.exceptions import NotFound
from grpc_interceptor.exception_to_status import AsyncExceptionToStatusInterceptor, ExceptionToStatusInterceptor
from serving import SOON, method, service, serving, serving_async

seen: list[str] = []


class Recorder(ServerInterceptor):
    def intercept(self, method: Any, request_or_iterator: Any, context: Any, method_name: str) -> Any:
        seen.append(f"server {method_name} {dict(context.invocation_metadata()).get('caller')}")
        return method(request_or_iterator, context)


class AsyncRecorder(AsyncServerInterceptor):
    async def intercept(self, method: Any, request_or_iterator: Any, context: Any, method_name: str) -> Any:
        seen.append(f"server {method_name} {dict(context.invocation_metadata()).get('caller')}")
        answer = method(request_or_iterator, context)
        return answer if hasattr(answer, "__aiter__") else await answer


class Caller(ClientInterceptor):
    def intercept(self, method: Any, request_or_iterator: Any, call_details: grpc.ClientCallDetails) -> Any:
        metadata = [*(call_details.metadata or ()), ("caller", "an interceptor")]
        seen.append(f"client {call_details.method}")
        return method(request_or_iterator, call_details._replace(metadata=metadata))


def upper(request: StringValue, context: Any) -> StringValue:
    if not request.value:
        raise NotFound("there is no text")
    return StringValue(value=request.value.upper())


def letters(request: StringValue, context: Any) -> Any:
    for letter in request.value:
        if letter == "!":
            raise NotFound("no such letter")
        yield StringValue(value=letter)


def join(requests: Any, context: Any) -> StringValue:
    return StringValue(value="".join(request.value for request in requests))


def echo(requests: Any, context: Any) -> Any:
    yield from requests


async def upper_async(request: StringValue, context: Any) -> StringValue:
    return upper(request, context)


async def letters_async(request: StringValue, context: Any) -> Any:
    for answer in letters(request, context):
        yield answer


async def join_async(requests: Any, context: Any) -> StringValue:
    return StringValue(value="".join([request.value async for request in requests]))


def text(is_async: bool) -> Any:
    types = (StringValue, StringValue)
    methods = {
        "Upper": method("unary_unary", upper_async if is_async else upper, *types),
        "Letters": method("unary_stream", letters_async if is_async else letters, *types),
        "Join": method("stream_unary", join_async if is_async else join, *types),
    }
    if not is_async:
        methods["Echo"] = method("stream_stream", echo, *types)
    return service("test.Text", **methods)


def call(channel: Any, name: str, kind: str) -> Any:
    return getattr(channel, kind)(f"/test.Text/{name}", StringValue.SerializeToString, StringValue.FromString)


def values(*values: str) -> list[StringValue]:
    return [StringValue(value=value) for value in values]


def refusal(make: Any) -> tuple[grpc.StatusCode, str]:
    try:
        make()
    except grpc.RpcError as error:
        return error.code(), error.details()
    raise AssertionError("the call did not fail")


def check_calls(target: str) -> None:
    with grpc.insecure_channel(target) as plain:
        channel = grpc.intercept_channel(plain, Caller())
        upper = call(channel, "Upper", "unary_unary")
        assert upper(StringValue(value="a"), timeout=SOON).value == "A"
        answer, made = upper.with_call(StringValue(value="b"), timeout=SOON)
        assert answer.value == "B" and made.code() is grpc.StatusCode.OK
        assert upper.future(StringValue(value="c"), timeout=SOON).result().value == "C"
        expected = (grpc.StatusCode.NOT_FOUND, "there is no text")
        assert refusal(lambda: upper(StringValue(), timeout=SOON)) == expected
        letters = call(channel, "Letters", "unary_stream")
        assert [each.value for each in letters(StringValue(value="xyz"), timeout=SOON)] == ["x", "y", "z"]
        assert refusal(lambda: list(letters(StringValue(value="x!"), timeout=SOON))) == (
            grpc.StatusCode.NOT_FOUND,
            "no such letter",
        )
        assert call(channel, "Join", "stream_unary")(iter(values("d", "e")), timeout=SOON).value == "de"


def main() -> None:
    with serving(text(False), interceptors=[Recorder(), ExceptionToStatusInterceptor()]) as target:
        check_calls(target)
        with grpc.insecure_channel(target) as plain:
            channel = grpc.intercept_channel(plain, Caller())
            answers = call(channel, "Echo", "stream_stream")(iter(values("f", "g")), timeout=SOON)
            assert [each.value for each in answers] == ["f", "g"]
    assert seen.count("server /test.Text/Upper an interceptor") == 4, seen
    assert seen.count("client /test.Text/Upper") == 4, seen
    seen.clear()

    async def call_async() -> None:
        recorders = [AsyncRecorder(), AsyncExceptionToStatusInterceptor()]
        async with serving_async(text(True), interceptors=recorders) as target:
            await asyncio.to_thread(check_calls, target)

    asyncio.run(call_async())
    assert seen.count("server /test.Text/Upper an interceptor") == 4, seen


if __name__ == "__main__":
    main()
    implementation.check()
