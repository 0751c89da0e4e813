# SPDX-License-Identifier: MIT
"""Interceptors of both sides, for code that blocks and for asyncio."""

from __future__ import annotations

import asyncio
from collections import namedtuple
from collections.abc import Iterator
from typing import Any

import pytest
from google.protobuf.wrappers_pb2 import StringValue

from . import test_aio_calls as aio_calls
from . import test_calls as calls
from .pairs import SOON, Pair, method, serving, text

Details = namedtuple("Details", ("method", "timeout", "metadata", "credentials", "wait_for_ready", "compression"))


def with_header(details: Any, name: str, value: str) -> Any:
    """The details with one more header."""
    metadata = [*(details.metadata or ()), (name, value)]
    return Details(details.method, details.timeout, metadata, details.credentials, details.wait_for_ready, None)


def recording(module: Any, seen: list[str], name: str) -> Any:
    """An interceptor for every kind of call, which notes the calls that it sees."""

    class Recording:
        def note(self, continuation: Any, details: Any, request: Any) -> Any:
            seen.append(f"{name} {details.method}")
            return continuation(with_header(details, "seen-by", name), request)

        intercept_unary_unary = intercept_unary_stream = note
        intercept_stream_unary = intercept_stream_stream = note

    kinds = ("UnaryUnary", "UnaryStream", "StreamUnary", "StreamStream")
    bases = tuple(getattr(module, f"{kind}ClientInterceptor") for kind in kinds)
    return type("RecordingOfAllKinds", (Recording, *bases), {})()


def headers_of(request: StringValue, context: Any) -> StringValue:
    return text(",".join(each.value for each in context.invocation_metadata() if each.key == "seen-by"))


def test_client_interceptors_see_every_kind_of_call(pair: Pair) -> None:
    seen: list[str] = []
    methods: Any = {**calls.METHODS, "Headers": ("unary_unary", headers_of)}
    with serving(pair.server, methods) as target, pair.client.insecure_channel(target) as plain:
        channel = pair.client.intercept_channel(
            plain, recording(pair.client, seen, "outer"), recording(pair.client, seen, "inner")
        )
        requests = [text("a"), text("b")]

        assert method(channel, "Headers", "unary_unary")(text(""), timeout=SOON).value == "outer,inner"
        assert seen == ["outer /test.Text/Headers", "inner /test.Text/Headers"]
        response, call = method(channel, "Upper", "unary_unary").with_call(text("a"), timeout=SOON)
        assert response.value == "A" and call.code() is pair.client.StatusCode.OK
        assert method(channel, "Upper", "unary_unary").future(text("a"), timeout=SOON).result(SOON).value == "A"
        letters = method(channel, "Letters", "unary_stream")(text("ab"), timeout=SOON)
        assert [each.value for each in letters] == ["a", "b"]
        assert method(channel, "Joined", "stream_unary")(iter(requests), timeout=SOON).value == "ab"
        responses = method(channel, "Echo", "stream_stream")(iter(requests), timeout=SOON)
        assert [each.value for each in responses] == ["aa", "bb"]
        assert len(seen) == 12


def test_client_interceptor_responds_itself(pair: Pair) -> None:
    class Cached(pair.client.UnaryUnaryClientInterceptor):  # type: ignore[misc, name-defined]
        def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
            first = continuation(details, request)
            assert first.result().value == request.value.upper()
            return continuation(details, text("b"))

    with serving(pair.server, calls.METHODS) as target, pair.client.insecure_channel(target) as plain:
        channel = pair.client.intercept_channel(plain, Cached())

        assert method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON).value == "B"


def test_client_interceptor_sees_errors(pair: Pair) -> None:
    codes: list[Any] = []

    class Noting(pair.client.UnaryUnaryClientInterceptor):  # type: ignore[misc, name-defined]
        def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
            call = continuation(details, request)
            codes.append(call.code())
            assert isinstance(call.exception(), pair.client.RpcError)
            return call

    class Raising(pair.client.UnaryUnaryClientInterceptor):  # type: ignore[misc, name-defined]
        def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
            raise KeyError("mine")

    with serving(pair.server, {}) as target, pair.client.insecure_channel(target) as plain:
        channel = pair.client.intercept_channel(plain, Noting())
        with pytest.raises(pair.client.RpcError):
            method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)
        assert codes == [pair.client.StatusCode.UNIMPLEMENTED]

        channel = pair.client.intercept_channel(plain, Raising())
        with pytest.raises(KeyError):
            method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)


def test_what_is_no_interceptor_is_refused(pair: Pair) -> None:
    with pair.client.insecure_channel("127.0.0.1:9") as channel:
        with pytest.raises(TypeError):
            pair.client.intercept_channel(channel, object())


def test_server_interceptors(pair: Pair) -> None:
    seen: list[str] = []

    class Noting(pair.server.ServerInterceptor):  # type: ignore[misc, name-defined]
        def __init__(self, name: str) -> None:
            self.name = name

        def intercept_service(self, continuation: Any, details: Any) -> Any:
            seen.append(f"{self.name} {details.method}")
            return continuation(details)

    class Guard(pair.server.ServerInterceptor):  # type: ignore[misc, name-defined]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            if ("key", "right") in [tuple(each) for each in details.invocation_metadata]:
                return continuation(details)

            def refuse(request: Any, context: Any) -> Any:
                context.abort(pair.server.StatusCode.UNAUTHENTICATED, "the key is wrong")

            return pair.server.unary_unary_rpc_method_handler(refuse)

    interceptors = [Noting("outer"), Noting("inner"), Guard()]
    with serving(pair.server, calls.METHODS, interceptors=interceptors) as target:
        with pair.client.insecure_channel(target) as channel:
            upper = method(channel, "Upper", "unary_unary")

            with pytest.raises(pair.client.RpcError) as raised:
                upper(text("a"), timeout=SOON)
            error: Any = raised.value
            assert error.code() is pair.client.StatusCode.UNAUTHENTICATED
            assert seen == ["outer /test.Text/Upper", "inner /test.Text/Upper"]

            assert upper(text("a"), metadata=(("key", "right"),), timeout=SOON).value == "A"
            letters = method(channel, "Letters", "unary_stream")
            found = letters(text("ab"), metadata=(("key", "right"),), timeout=SOON)
            assert [each.value for each in found] == ["a", "b"]


def test_server_interceptor_wraps_a_handler(pair: Pair) -> None:
    class Doubling(pair.server.ServerInterceptor):  # type: ignore[misc, name-defined]
        def intercept_service(self, continuation: Any, details: Any) -> Any:
            found = continuation(details)

            def twice(requests: Iterator[StringValue], context: Any) -> Iterator[StringValue]:
                for response in found.stream_stream(requests, context):
                    yield response
                    yield response

            return pair.server.stream_stream_rpc_method_handler(
                twice, found.request_deserializer, found.response_serializer
            )

    with serving(pair.server, calls.METHODS, interceptors=[Doubling()]) as target:
        with pair.client.insecure_channel(target) as channel:
            responses = method(channel, "Echo", "stream_stream")(iter([text("a")]), timeout=SOON)

            assert [each.value for each in responses] == ["aa", "aa"]


def test_asyncio_client_interceptors(pair: Pair) -> None:
    seen: list[str] = []
    aio = pair.client.aio

    def changed(details: Any) -> Any:
        seen.append(details.method if isinstance(details.method, str) else details.method.decode())
        return aio.ClientCallDetails(
            details.method, details.timeout, details.metadata, details.credentials, details.wait_for_ready
        )

    class OneOne(aio.UnaryUnaryClientInterceptor):  # type: ignore[misc, name-defined]
        async def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
            call = await continuation(changed(details), request)
            return text((await call).value + "!") if request.value == "a" else call

    class OneMany(aio.UnaryStreamClientInterceptor):  # type: ignore[misc, name-defined]
        async def intercept_unary_stream(self, continuation: Any, details: Any, request: Any) -> Any:
            return await continuation(changed(details), request)

    class ManyOne(aio.StreamUnaryClientInterceptor):  # type: ignore[misc, name-defined]
        async def intercept_stream_unary(self, continuation: Any, details: Any, requests: Any) -> Any:
            return await continuation(changed(details), requests)

    class ManyMany(aio.StreamStreamClientInterceptor):  # type: ignore[misc, name-defined]
        async def intercept_stream_stream(self, continuation: Any, details: Any, requests: Any) -> Any:
            return await continuation(changed(details), requests)

    async def run() -> None:
        interceptors = [OneOne(), OneMany(), ManyOne(), ManyMany()]
        async with aio_calls.serving(pair.server, aio_calls.METHODS) as target:
            async with aio.insecure_channel(target, interceptors=interceptors) as channel:
                upper = method(channel, "Upper", "unary_unary")
                assert (await upper(text("a"), timeout=SOON)).value == "A!"
                call = upper(text("b"), timeout=SOON)
                assert (await call).value == "B"
                assert await call.code() is pair.client.StatusCode.OK

                call = method(channel, "Letters", "unary_stream")(text("ab"), timeout=SOON)
                assert [each.value async for each in call] == ["a", "b"]

                call = method(channel, "Joined", "stream_unary")(timeout=SOON)
                await call.write(text("a"))
                await call.write(text("b"))
                await call.done_writing()
                assert (await call).value == "ab"

                call = method(channel, "Echo", "stream_stream")(timeout=SOON)
                await call.write(text("a"))
                assert (await call.read()).value == "aa"
                await call.done_writing()
                assert await call.read() is aio.EOF

                missing = method(channel, "Missing", "unary_unary")(text("b"), timeout=SOON)
                with pytest.raises(aio.AioRpcError) as raised:
                    await missing
                assert raised.value.code() is pair.client.StatusCode.UNIMPLEMENTED
                assert await missing.code() is pair.client.StatusCode.UNIMPLEMENTED

    asyncio.run(run())
    names = ["Upper", "Upper", "Letters", "Joined", "Echo", "Missing"]
    assert seen == [f"/test.Text/{name}" for name in names]


def test_asyncio_server_interceptors(pair: Pair) -> None:
    seen: list[str] = []

    class Noting(pair.server.aio.ServerInterceptor):  # type: ignore[misc, name-defined]
        def __init__(self, name: str) -> None:
            self.name = name

        async def intercept_service(self, continuation: Any, details: Any) -> Any:
            seen.append(f"{self.name} {details.method}")
            return await continuation(details)

    async def run() -> None:
        interceptors = [Noting("outer"), Noting("inner")]
        async with aio_calls.serving(pair.server, aio_calls.METHODS, interceptors=interceptors) as target:
            async with pair.client.aio.insecure_channel(target) as channel:
                assert (await method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)).value == "A"

    asyncio.run(run())
    assert seen == ["outer /test.Text/Upper", "inner /test.Text/Upper"]


def test_asyncio_interceptor_returns_responses_of_its_own(pair: Pair) -> None:
    aio = pair.client.aio

    class Doubling(aio.UnaryStreamClientInterceptor):  # type: ignore[misc, name-defined]
        async def intercept_unary_stream(self, continuation: Any, details: Any, request: Any) -> Any:
            call = await continuation(details, request)

            async def twice() -> Any:
                async for response in call:
                    yield response
                    yield response

            return twice()

    class Outer(aio.UnaryUnaryClientInterceptor):  # type: ignore[misc, name-defined]
        async def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
            call = await continuation(details, request)
            assert (await call).value == "inner"
            assert await call.code() is pair.client.StatusCode.OK
            return call

    class Inner(aio.UnaryUnaryClientInterceptor):  # type: ignore[misc, name-defined]
        async def intercept_unary_unary(self, continuation: Any, details: Any, request: Any) -> Any:
            return text("inner")

    async def run() -> None:
        interceptors = [Doubling(), Outer(), Inner()]
        async with aio_calls.serving(pair.server, aio_calls.METHODS) as target:
            async with aio.insecure_channel(target, interceptors=interceptors) as channel:
                assert (await method(channel, "Upper", "unary_unary")(text("a"), timeout=SOON)).value == "inner"

                call = method(channel, "Letters", "unary_stream")(text("ab"), timeout=SOON)
                assert [each.value async for each in call] == ["a", "a", "b", "b"]
                assert await call.code() is pair.client.StatusCode.OK

                call = method(channel, "Letters", "unary_stream")(text("ab"), timeout=SOON)
                with pytest.raises(asyncio.CancelledError):
                    async for _ in call:
                        call.cancel()
                assert call.cancelled() and call.done()

    asyncio.run(run())
