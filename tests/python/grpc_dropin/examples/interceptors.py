# SPDX-License-Identifier: MIT
"""A client's interceptor adds a header, without which the server's interceptor refuses calls."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

import grpc

from . import greeter

_Details = namedtuple("_Details", ("method", "timeout", "metadata", "credentials", "wait_for_ready", "compression"))


class HeaderAdder(grpc.UnaryUnaryClientInterceptor, grpc.UnaryStreamClientInterceptor):
    def _with_header(self, details: Any) -> Any:
        metadata = [*(details.metadata or ()), ("one-time-password", "42")]
        return _Details(details.method, details.timeout, metadata, details.credentials, None, None)

    def intercept_unary_unary(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        return continuation(self._with_header(client_call_details), request)

    def intercept_unary_stream(self, continuation: Any, client_call_details: Any, request: Any) -> Any:
        for response in continuation(self._with_header(client_call_details), request):
            yield greeter.reply(response.message.upper())


class HeaderChecker(grpc.ServerInterceptor):
    def __init__(self) -> None:
        def refuse(request: Any, context: Any) -> None:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "access denied")

        self._refusal = grpc.unary_unary_rpc_method_handler(refuse)

    def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        if ("one-time-password", "42") in handler_call_details.invocation_metadata:
            return continuation(handler_call_details)
        return self._refusal


class Greeter(greeter.Greeter):
    def SayHello(self, request: Any, context: Any) -> Any:
        return greeter.reply(f"Hello, {request.name}!")

    def SayHelloOften(self, request: Any, context: Any) -> Any:
        for _ in range(2):
            yield greeter.reply(f"Hello, {request.name}!")


def serve() -> tuple[Any, str]:
    return greeter.serve(Greeter(), interceptors=(HeaderChecker(),))


def run(target: str) -> list[str]:
    with grpc.insecure_channel(target) as plain:
        stub = greeter.stub(grpc.intercept_channel(plain, HeaderAdder()))
        seen = [stub.SayHello(greeter.request("you")).message]
        seen += [response.message for response in stub.SayHelloOften(greeter.request("you"))]
        try:
            greeter.stub(plain).SayHello(greeter.request("stranger"))
        except grpc.RpcError as error:
            seen.append(f"{error.code().name}: {error.details()}")
    return seen
