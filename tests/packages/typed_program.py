# SPDX-License-Identifier: MIT
"""A program as users of grpcio write it, with types. use_mypy_protobuf.py checks and runs it; GRPC stands for the import
of grpcio, or of the drop-in by its own name."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from concurrent import futures
from typing import Any

import text_pb2
import text_pb2_grpc
from GRPC import grpc
from typing_extensions import assert_type


class Service(text_pb2_grpc.TextCallsServicer):
    def Upper(self, request: text_pb2.Text, context: grpc.ServicerContext) -> text_pb2.Text:
        if not request.text:
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "empty")
        context.set_trailing_metadata((("seen", "yes"),))
        return text_pb2.Text(text=request.text.upper())

    def Letters(self, request: text_pb2.Text, context: grpc.ServicerContext) -> Iterator[text_pb2.Text]:
        for letter in request.text:
            yield text_pb2.Text(text=letter)

    def Join(self, request_iterator: Iterator[text_pb2.Text], context: grpc.ServicerContext) -> text_pb2.Text:
        return text_pb2.Text(text="".join(request.text for request in request_iterator))

    def Chat(
        self, request_iterator: Iterator[text_pb2.Text], context: grpc.ServicerContext
    ) -> Iterator[text_pb2.Text]:
        yield from request_iterator


class AsyncService(text_pb2_grpc.TextCallsServicer):
    async def Upper(
        self, request: text_pb2.Text, context: grpc.aio.ServicerContext[text_pb2.Text, text_pb2.Text]
    ) -> text_pb2.Text:
        if not request.text:
            await context.abort(grpc.StatusCode.INVALID_ARGUMENT, "empty")
        return text_pb2.Text(text=request.text.upper())

    async def Letters(
        self, request: text_pb2.Text, context: grpc.aio.ServicerContext[text_pb2.Text, text_pb2.Text]
    ) -> AsyncIterator[text_pb2.Text]:
        for letter in request.text:
            yield text_pb2.Text(text=letter)

    async def Join(
        self,
        request_iterator: AsyncIterator[text_pb2.Text],
        context: grpc.aio.ServicerContext[text_pb2.Text, text_pb2.Text],
    ) -> text_pb2.Text:
        return text_pb2.Text(text="".join([request.text async for request in request_iterator]))

    async def Chat(
        self,
        request_iterator: AsyncIterator[text_pb2.Text],
        context: grpc.aio.ServicerContext[text_pb2.Text, text_pb2.Text],
    ) -> AsyncIterator[text_pb2.Text]:
        async for request in request_iterator:
            yield request


class Deny(grpc.ServerInterceptor):
    def intercept_service(self, continuation: Any, handler_call_details: grpc.HandlerCallDetails) -> Any:
        assert_type(handler_call_details.method, str)
        return continuation(handler_call_details)


def call(channel: grpc.Channel) -> None:
    stub = text_pb2_grpc.TextCallsStub(channel)
    answer = stub.Upper(text_pb2.Text(text="a"), timeout=20.0, metadata=(("k", "v"),), wait_for_ready=True)
    assert_type(answer, text_pb2.Text)
    assert answer.text == "A"
    _, outcome = stub.Upper.with_call(text_pb2.Text(text="a"))
    assert ("seen", "yes") in [(key, value) for key, value in outcome.trailing_metadata()]
    assert stub.Upper.future(text_pb2.Text(text="b")).result(timeout=20.0).text == "B"
    assert [letter.text for letter in stub.Letters(text_pb2.Text(text="ab"))] == ["a", "b"]
    assert stub.Join(iter([text_pb2.Text(text="a"), text_pb2.Text(text="b")])).text == "ab"
    assert [each.text for each in stub.Chat(iter([text_pb2.Text(text="a")]))] == ["a"]
    try:
        stub.Upper(text_pb2.Text())
    except grpc.RpcError as error:
        assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
    else:
        raise AssertionError("the call has not failed")


def call_blocking() -> None:
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), interceptors=[Deny()])
    text_pb2_grpc.add_TextCallsServicer_to_server(Service(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    with grpc.insecure_channel(f"127.0.0.1:{port}", options=[("grpc.keepalive_time_ms", 30000)]) as channel:
        call(channel)
    server.stop(grace=None).wait(20.0)


async def call_asyncio() -> None:
    server = grpc.aio.server()
    text_pb2_grpc.add_TextCallsServicer_to_server(AsyncService(), server)
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        stub: text_pb2_grpc.TextCallsAsyncStub = text_pb2_grpc.TextCallsStub(channel)
        answer = await stub.Upper(text_pb2.Text(text="a"), timeout=20.0)
        assert_type(answer, text_pb2.Text)
        assert answer.text == "A"
        assert [letter.text async for letter in stub.Letters(text_pb2.Text(text="ab"))] == ["a", "b"]
        assert (await stub.Join(iter([text_pb2.Text(text="a")]))).text == "a"
        try:
            await stub.Upper(text_pb2.Text())
        except grpc.aio.AioRpcError as error:
            assert_type(error.code(), grpc.StatusCode)
            assert error.code() is grpc.StatusCode.INVALID_ARGUMENT
        else:
            raise AssertionError("the call has not failed")
    await server.stop(None)


if __name__ == "__main__":
    call_blocking()
    asyncio.run(call_asyncio())
