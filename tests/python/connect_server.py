# SPDX-License-Identifier: MIT
"""A server of the package connectrpc, which speaks HTTP/1.1 only. Prints its port.

Usage: python -m tests.python.connect_server asgi|wsgi [CERTIFICATE KEY]    (uvicorn, or the WSGI server of Python)
"""

from __future__ import annotations

import asyncio
import socket
import socketserver
import sys
import wsgiref.simple_server
from collections.abc import AsyncIterator, Iterator
from typing import Any

import uvicorn
from connectrpc.code import Code
from connectrpc.compat import google_protobuf_binary_codec, google_protobuf_json_codec
from connectrpc.errors import ConnectError
from connectrpc.method import IdempotencyLevel, MethodInfo, StreamType
from connectrpc.server import ConnectASGIApplication, ConnectWSGIApplication, Endpoint, EndpointSync
from google.protobuf.wrappers_pb2 import BytesValue, Int64Value, StringValue

NO_SIDE_EFFECTS = IdempotencyLevel.NO_SIDE_EFFECTS
CODECS = [google_protobuf_binary_codec(), google_protobuf_json_codec()]


def method(name: str, request: Any, response: Any, kind: str, level: Any = IdempotencyLevel.UNKNOWN) -> Any:
    return MethodInfo(
        name=name,
        service_name="test.Service",
        input=request,
        output=response,
        idempotency_level=level,
        stream_type=StreamType[kind],
    )


ECHO = method("Echo", BytesValue, BytesValue, "UNARY")
LOOK = method("Look", StringValue, StringValue, "UNARY", NO_SIDE_EFFECTS)
FAIL = method("Fail", StringValue, StringValue, "UNARY")
WAIT = method("Wait", Int64Value, Int64Value, "UNARY")
COUNT = method("Count", Int64Value, Int64Value, "SERVER_STREAM")
TOTAL = method("Total", Int64Value, Int64Value, "CLIENT_STREAM")
DOUBLE = method("Double", Int64Value, Int64Value, "BIDI_STREAM")


def repeat_metadata(context: Any) -> None:
    for name, value in context.request_headers.items():
        if name.startswith("x-"):
            context.response_headers.add(name, value)
            context.response_trailers.add(name, value)


async def echo(request: BytesValue, context: Any) -> BytesValue:
    repeat_metadata(context)
    return request


async def look(request: StringValue, context: Any) -> StringValue:
    return StringValue(value=f"{context.http_method} {request.value}")


async def fail(request: StringValue, context: Any) -> StringValue:
    repeat_metadata(context)
    raise ConnectError(Code.ABORTED, request.value)


async def wait(request: Int64Value, context: Any) -> Int64Value:
    await asyncio.sleep(request.value / 1000)
    return request


async def count(request: Int64Value, context: Any) -> AsyncIterator[Int64Value]:
    repeat_metadata(context)
    for number in range(request.value):
        yield Int64Value(value=number)
    raise ConnectError(Code.OUT_OF_RANGE, "café")


async def total(requests: AsyncIterator[Int64Value], context: Any) -> Int64Value:
    return Int64Value(value=sum([request.value async for request in requests]))


async def double(requests: AsyncIterator[Int64Value], context: Any) -> AsyncIterator[Int64Value]:
    for request in [each async for each in requests]:
        yield Int64Value(value=2 * request.value)


class AsgiApplication(ConnectASGIApplication[None]):
    @property
    def path(self) -> str:
        return "/test.Service"

    def __init__(self) -> None:
        endpoints = [
            Endpoint.unary(ECHO, echo),
            Endpoint.unary(LOOK, look),
            Endpoint.unary(FAIL, fail),
            Endpoint.unary(WAIT, wait),
            Endpoint.server_stream(COUNT, count),
            Endpoint.client_stream(TOTAL, total),
            Endpoint.bidi_stream(DOUBLE, double),
        ]
        super().__init__(
            service=None,
            endpoints=lambda _: {f"/test.Service/{each.method.name}": each for each in endpoints},
            codecs=CODECS,
        )


def echo_blocking(request: BytesValue, context: Any) -> BytesValue:
    repeat_metadata(context)
    return request


def fail_blocking(request: StringValue, context: Any) -> StringValue:
    repeat_metadata(context)
    raise ConnectError(Code.ABORTED, request.value)


def count_blocking(request: Int64Value, context: Any) -> Iterator[Int64Value]:
    repeat_metadata(context)
    for number in range(request.value):
        yield Int64Value(value=number)
    raise ConnectError(Code.OUT_OF_RANGE, "café")


class WsgiApplication(ConnectWSGIApplication):
    @property
    def path(self) -> str:
        return "/test.Service"

    def __init__(self) -> None:
        endpoints = [
            EndpointSync.unary(method=ECHO, function=echo_blocking),
            EndpointSync.unary(method=FAIL, function=fail_blocking),
            EndpointSync.server_stream(method=COUNT, function=count_blocking),
        ]
        by_path = {f"/test.Service/{each.method.name}": each for each in endpoints}
        super().__init__(endpoints=by_path, codecs=CODECS)


class WsgiServer(socketserver.ThreadingMixIn, wsgiref.simple_server.WSGIServer):
    daemon_threads = True
    request_queue_size = 128


class QuietHandler(wsgiref.simple_server.WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        pass


def main() -> None:
    if sys.argv[1] == "wsgi":
        server = WsgiServer(("127.0.0.1", 0), QuietHandler)
        server.set_app(WsgiApplication())
        print(server.server_port, flush=True)
        server.serve_forever()
    listening = socket.create_server(("127.0.0.1", 0), backlog=128)
    print(listening.getsockname()[1], flush=True)
    tls: dict[str, Any] = {"ssl_certfile": sys.argv[2], "ssl_keyfile": sys.argv[3]} if len(sys.argv) > 2 else {}
    config = uvicorn.Config(AsgiApplication(), log_level="warning", timeout_keep_alive=1, **tls)
    asyncio.run(uvicorn.Server(config).serve([listening]))


if __name__ == "__main__":
    main()
