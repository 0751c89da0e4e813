# SPDX-License-Identifier: MIT
"""opentelemetry-instrumentation-grpc: spans of clients and servers make up one trace, blocking and asynchronous."""

import implementation  # isort: skip

import asyncio
from typing import Any

import grpc
from google.protobuf.wrappers_pb2 import StringValue
from opentelemetry import trace
from opentelemetry.instrumentation.grpc import (
    GrpcAioInstrumentorClient,
    GrpcAioInstrumentorServer,
    GrpcInstrumentorClient,
    GrpcInstrumentorServer,
)
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode
from serving import SOON, method, service, serving, serving_async

spans = InMemorySpanExporter()


def upper(request: StringValue, context: Any) -> StringValue:
    assert trace.get_current_span().get_span_context().is_valid, "the handler runs outside of the server's span"
    if not request.value:
        context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no text")
    return StringValue(value=request.value.upper())


def letters(request: StringValue, context: Any) -> Any:
    for letter in request.value:
        yield StringValue(value=letter)


def echo(requests: Any, context: Any) -> Any:
    yield from requests


async def upper_async(request: StringValue, context: Any) -> StringValue:
    assert trace.get_current_span().get_span_context().is_valid, "the handler runs outside of the server's span"
    if not request.value:
        await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "there is no text")
    return StringValue(value=request.value.upper())


async def letters_async(request: StringValue, context: Any) -> Any:
    for letter in request.value:
        yield StringValue(value=letter)


async def echo_async(requests: Any, context: Any) -> Any:
    async for request in requests:
        yield request


def text(upper: Any, letters: Any, echo: Any) -> Any:
    types = (StringValue, StringValue)
    return service(
        "test.Text",
        Upper=method("unary_unary", upper, *types),
        Letters=method("unary_stream", letters, *types),
        Echo=method("stream_stream", echo, *types),
    )


def call(channel: Any, name: str, kind: str) -> Any:
    return getattr(channel, kind)(f"/test.Text/{name}", StringValue.SerializeToString, StringValue.FromString)


def check_spans(name: str, count: int, failed: int = 0) -> None:
    """There are so many pairs of a client's and a server's span of that name, of which so many have failed."""
    found = [span for span in spans.get_finished_spans() if span.name.lstrip("/") == f"test.Text/{name}"]
    clients = {span.context.span_id: span for span in found if span.kind is SpanKind.CLIENT}
    servers = [span for span in found if span.kind is SpanKind.SERVER]
    assert len(clients) == count and len(servers) == count, [(span.name, span.kind) for span in found]
    for span in servers:
        assert span.parent is not None and span.parent.is_remote
        client = clients[span.parent.span_id]
        assert client.context.trace_id == span.context.trace_id
    bad = [span for span in clients.values() if span.status.status_code is StatusCode.ERROR]
    assert len(bad) == failed, [(span.name, span.status.status_code) for span in bad]


def call_blocking() -> None:
    with serving(text(upper, letters, echo)) as target, grpc.insecure_channel(target) as channel:
        assert call(channel, "Upper", "unary_unary")(StringValue(value="a"), timeout=SOON).value == "A"
        future = call(channel, "Upper", "unary_unary").future(StringValue(value="b"), timeout=SOON)
        assert future.result().value == "B"
        try:
            call(channel, "Upper", "unary_unary")(StringValue(), timeout=SOON)
        except grpc.RpcError as error:
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT and error.details() == "there is no text"
        else:
            raise AssertionError("the call did not fail")
        assert len(list(call(channel, "Letters", "unary_stream")(StringValue(value="abc"), timeout=SOON))) == 3
        requests = (StringValue(value=value) for value in "de")
        assert [each.value for each in call(channel, "Echo", "stream_stream")(requests, timeout=SOON)] == ["d", "e"]


async def call_async() -> None:
    async with serving_async(text(upper_async, letters_async, echo_async)) as target:
        async with grpc.aio.insecure_channel(target) as channel:
            assert (await call(channel, "Upper", "unary_unary")(StringValue(value="a"), timeout=SOON)).value == "A"
            try:
                await call(channel, "Upper", "unary_unary")(StringValue(), timeout=SOON)
            except grpc.RpcError as error:
                assert error.code() is grpc.StatusCode.INVALID_ARGUMENT and error.details() == "there is no text"
            else:
                raise AssertionError("the call did not fail")
            letters = call(channel, "Letters", "unary_stream")(StringValue(value="abc"), timeout=SOON)
            assert [each.value async for each in letters] == ["a", "b", "c"]

            async def requests() -> Any:
                for value in "de":
                    yield StringValue(value=value)

            answers = call(channel, "Echo", "stream_stream")(requests(), timeout=SOON)
            assert [each.value async for each in answers] == ["d", "e"]


def main() -> None:
    provider = TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(spans))
    trace.set_tracer_provider(provider)

    blocking = (GrpcInstrumentorClient(), GrpcInstrumentorServer())
    for instrumentor in blocking:
        instrumentor.instrument()
    call_blocking()
    for instrumentor in blocking:
        instrumentor.uninstrument()
    check_spans("Upper", 3, failed=1)
    check_spans("Letters", 1)
    check_spans("Echo", 1)
    spans.clear()
    # The handler of `upper` wants a span, which nothing makes any more.
    with serving(text(letters, letters, echo)) as target, grpc.insecure_channel(target) as channel:
        assert len(list(call(channel, "Letters", "unary_stream")(StringValue(value="abc"), timeout=SOON))) == 3
    assert not spans.get_finished_spans()

    both = (GrpcAioInstrumentorClient(), GrpcAioInstrumentorServer())
    for instrumentor in both:
        instrumentor.instrument()
    asyncio.run(call_async())
    for instrumentor in both:
        instrumentor.uninstrument()
    check_spans("Upper", 2, failed=1)
    check_spans("Letters", 1)
    check_spans("Echo", 1)


if __name__ == "__main__":
    main()
    implementation.check()
