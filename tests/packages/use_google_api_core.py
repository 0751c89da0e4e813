# SPDX-License-Identifier: MIT
"""google-api-core: channels with credentials, errors as exceptions, retries, timeouts and long-running operations."""

import implementation  # isort: skip

import asyncio
from typing import Any

import grpc
from certificate import make_certificate
from google.api_core import exceptions, gapic_v1, grpc_helpers, grpc_helpers_async, operation, operations_v1, retry
from google.api_core import retry_async
from google.api_core.future import polling
from google.auth import credentials as google_credentials
from google.longrunning import operations_pb2
from google.protobuf import any_pb2, empty_pb2
from google.protobuf.wrappers_pb2 import StringValue
from google.rpc import error_details_pb2, status_pb2
from grpc_status import rpc_status
from serving import SOON, method, service, serving, serving_async


class Token(google_credentials.Credentials):
    """Credentials whose token needs no request."""

    def __init__(self) -> None:
        super().__init__()
        self.token = "secret"

    def refresh(self, request: Any) -> None:
        raise AssertionError("the token is valid")

    @property
    def expired(self) -> bool:
        return False


class Text:
    """The behaviors of a service, whose second method fails twice before it succeeds."""

    def __init__(self) -> None:
        self.failures = 2
        self.metadata: dict[str, Any] = {}

    def upper(self, request: StringValue, context: Any) -> StringValue:
        self.metadata = dict(context.invocation_metadata())
        if not request.value:
            detail = any_pb2.Any()
            detail.Pack(error_details_pb2.ErrorInfo(reason="EMPTY", domain="test"))
            status = status_pb2.Status(code=3, message="there is no text", details=[detail])
            context.abort_with_status(rpc_status.to_status(status))
        return StringValue(value=request.value.upper())

    def unsteady(self, request: StringValue, context: Any) -> StringValue:
        if self.failures:
            self.failures -= 1
            context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
        return StringValue(value="steady")

    def letters(self, request: StringValue, context: Any) -> Any:
        for letter in request.value:
            if letter == "!":
                context.abort(grpc.StatusCode.NOT_FOUND, "no such letter")
            yield StringValue(value=letter)

    def sleep(self, request: StringValue, context: Any) -> StringValue:
        import time

        time.sleep(1)
        return request

    async def upper_async(self, request: StringValue, context: Any) -> StringValue:
        if not request.value:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no text")
        return StringValue(value=request.value.upper())

    async def unsteady_async(self, request: StringValue, context: Any) -> StringValue:
        if self.failures:
            self.failures -= 1
            await context.abort(grpc.StatusCode.UNAVAILABLE, "not now")
        return StringValue(value="steady")

    async def letters_async(self, request: StringValue, context: Any) -> Any:
        for letter in request.value:
            if letter == "!":
                await context.abort(grpc.StatusCode.NOT_FOUND, "no such letter")
            yield StringValue(value=letter)


class Operations:
    """The behaviors of a server of long-running operations, which are done when asked for the third time."""

    def __init__(self) -> None:
        self.asked = 0
        self.cancelled: list[str] = []

    def get(self, request: Any, context: Any) -> Any:
        if request.name == "missing":
            context.abort(grpc.StatusCode.NOT_FOUND, "no such operation")
        self.asked += 1
        found = operations_pb2.Operation(name=request.name, done=self.asked >= 3)
        if found.done:
            found.response.Pack(StringValue(value="finished"))
        return found

    def list(self, request: Any, context: Any) -> Any:
        first = not request.page_token
        names = ("a", "b") if first else ("c",)
        each = [operations_pb2.Operation(name=name) for name in names]
        return operations_pb2.ListOperationsResponse(operations=each, next_page_token="next" if first else "")

    def cancel(self, request: Any, context: Any) -> Any:
        self.cancelled.append(request.name)
        return empty_pb2.Empty()


def call(channel: Any, name: str, kind: str) -> Any:
    return getattr(channel, kind)(f"/test.Text/{name}", StringValue.SerializeToString, StringValue.FromString)


def raised(kind: type, make: Any) -> Any:
    try:
        make()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


def check_blocking(target: str, text: Text, roots: bytes) -> None:
    channel = grpc_helpers.create_channel(
        target, credentials=Token(), ssl_credentials=grpc.ssl_channel_credentials(roots)
    )
    wrap = grpc_helpers.wrap_errors
    upper = wrap(call(channel, "Upper", "unary_unary"))
    assert upper(StringValue(value="a"), timeout=SOON).value == "A"
    assert text.metadata["authorization"] == "Bearer secret", text.metadata

    error = raised(exceptions.InvalidArgument, lambda: upper(StringValue(), timeout=SOON))
    assert error.message == "there is no text" and error.grpc_status_code is grpc.StatusCode.INVALID_ARGUMENT
    assert error.reason == "EMPTY" and error.domain == "test", error.details

    letters = wrap(call(channel, "Letters", "unary_stream"))
    stream = letters(StringValue(value="abc"), timeout=SOON)
    assert [each.value for each in stream] == ["a", "b", "c"] and stream.code() is grpc.StatusCode.OK
    assert raised(exceptions.NotFound, lambda: list(letters(StringValue(value="a!"), timeout=SOON)))
    assert raised(exceptions.NotFound, lambda: letters(StringValue(value="!"), timeout=SOON))

    policy = retry.Retry(predicate=retry.if_exception_type(exceptions.ServiceUnavailable), initial=0.01)
    unsteady = gapic_v1.method.wrap_method(
        call(channel, "Unsteady", "unary_unary"),
        default_retry=policy,
        default_timeout=SOON,
        client_info=gapic_v1.client_info.ClientInfo(user_agent="tests"),
    )
    header = gapic_v1.routing_header.to_grpc_metadata((("name", "x"),))
    assert unsteady(StringValue(), metadata=(header,)).value == "steady" and text.failures == 0
    gapic_v1.method.wrap_method(call(channel, "Upper", "unary_unary"))(StringValue(value="b"), metadata=(header,))
    assert text.metadata["x-goog-request-params"] == "name=x"
    assert "grpc/" in text.metadata["x-goog-api-client"]

    sleep = wrap(call(channel, "Sleep", "unary_unary"))
    assert raised(exceptions.DeadlineExceeded, lambda: sleep(StringValue(), timeout=0.1))
    channel.close()

    # Clients of Google's services make their channels like this. Such a channel trusts the public authorities alone.
    channel = grpc_helpers.create_channel(target, credentials=Token())
    upper = wrap(call(channel, "Upper", "unary_unary"))
    assert raised(exceptions.ServiceUnavailable, lambda: upper(StringValue(value="a"), timeout=SOON))
    channel.close()


def check_operations(target: str, served: Operations) -> None:
    with grpc.insecure_channel(target) as channel:
        client = operations_v1.OperationsClient(channel)
        first = client.get_operation("one")
        assert not first.done
        often = polling.DEFAULT_POLLING.with_delay(initial=0.01)
        future = operation.from_gapic(first, client, StringValue, polling=often)
        assert future.result(timeout=SOON).value == "finished" and served.asked == 3
        assert [each.name for each in client.list_operations("all", "")] == ["a", "b", "c"]
        client.cancel_operation("one")
        assert served.cancelled == ["one"]
        assert raised(exceptions.NotFound, lambda: client.get_operation("missing"))


async def check_async(key: bytes, certificate: bytes) -> None:
    text, types = Text(), (StringValue, StringValue)
    text_service = service(
        "test.Text",
        Upper=method("unary_unary", text.upper_async, *types),
        Unsteady=method("unary_unary", text.unsteady_async, *types),
        Letters=method("unary_stream", text.letters_async, *types),
    )
    credentials = grpc.ssl_server_credentials([(key, certificate)])
    async with serving_async(text_service, credentials=credentials) as target:
        channel = grpc_helpers_async.create_channel(
            target, credentials=Token(), ssl_credentials=grpc.ssl_channel_credentials(certificate)
        )
        upper = grpc_helpers_async.wrap_errors(call(channel, "Upper", "unary_unary"))
        assert (await upper(StringValue(value="a"), timeout=SOON)).value == "A"
        try:
            await upper(StringValue(), timeout=SOON)
        except exceptions.InvalidArgument as error:
            assert error.message == "there is no text"
        else:
            raise AssertionError("the call did not fail")
        letters = grpc_helpers_async.wrap_errors(call(channel, "Letters", "unary_stream"))
        stream = await letters(StringValue(value="abc"), timeout=SOON)
        assert [each.value async for each in stream] == ["a", "b", "c"]
        try:
            async for _ in await letters(StringValue(value="a!"), timeout=SOON):
                pass
        except exceptions.NotFound as error:
            assert error.message == "no such letter"
        else:
            raise AssertionError("the stream did not fail")
        policy = retry_async.AsyncRetry(
            predicate=retry_async.if_exception_type(exceptions.ServiceUnavailable), initial=0.01
        )
        unsteady = gapic_v1.method_async.wrap_method(
            call(channel, "Unsteady", "unary_unary"), default_retry=policy, default_timeout=SOON
        )
        assert (await unsteady(StringValue())).value == "steady"
        await channel.close()


async def check_operations_async() -> None:
    served = Operations()

    async def get(request: Any, context: Any) -> Any:
        return served.get(request, context)

    methods = {
        "GetOperation": method("unary_unary", get, operations_pb2.GetOperationRequest, operations_pb2.Operation)
    }
    async with serving_async(service("google.longrunning.Operations", **methods)) as target:
        async with grpc.aio.insecure_channel(target) as channel:
            client = operations_v1.OperationsAsyncClient(channel)
            assert (await client.get_operation("one")).name == "one"


def main() -> None:
    text, operations, types = Text(), Operations(), (StringValue, StringValue)
    key, certificate = make_certificate()
    text_service = service(
        "test.Text",
        Upper=method("unary_unary", text.upper, *types),
        Unsteady=method("unary_unary", text.unsteady, *types),
        Sleep=method("unary_unary", text.sleep, *types),
        Letters=method("unary_stream", text.letters, *types),
    )
    with serving(text_service, credentials=grpc.ssl_server_credentials([(key, certificate)])) as target:
        check_blocking(target, text, certificate)
    each = operations_pb2
    operations_service = service(
        "google.longrunning.Operations",
        GetOperation=method("unary_unary", operations.get, each.GetOperationRequest, each.Operation),
        ListOperations=method("unary_unary", operations.list, each.ListOperationsRequest, each.ListOperationsResponse),
        CancelOperation=method("unary_unary", operations.cancel, each.CancelOperationRequest, empty_pb2.Empty),
    )
    with serving(operations_service) as target:
        check_operations(target, operations)
    asyncio.run(check_async(key, certificate))
    asyncio.run(check_operations_async())


if __name__ == "__main__":
    main()
    implementation.check()
