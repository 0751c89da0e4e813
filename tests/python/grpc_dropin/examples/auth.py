# SPDX-License-Identifier: MIT
"""TLS, and calls with a signature in their metadata. The folder EXAMPLES_FOLDER has the certificate and its key."""

from __future__ import annotations

import os
from concurrent import futures
from pathlib import Path
from typing import Any

import grpc

from . import greeter


class Signing(grpc.AuthMetadataPlugin):
    def __call__(self, context: Any, callback: Any) -> None:
        callback((("x-signature", context.method_name[::-1]),), None)


class Verifying(grpc.ServerInterceptor):
    def __init__(self) -> None:
        def refuse(request: Any, context: Any) -> None:
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "no valid signature")

        self._refusal = grpc.unary_unary_rpc_method_handler(refuse)

    def intercept_service(self, continuation: Any, handler_call_details: Any) -> Any:
        signature = handler_call_details.method.rpartition("/")[2][::-1]
        is_valid = ("x-signature", signature) in handler_call_details.invocation_metadata
        return continuation(handler_call_details) if is_valid else self._refusal


class Greeter(greeter.Greeter):
    def SayHello(self, request: Any, context: Any) -> Any:
        return greeter.reply(f"Hello, {request.name}! {context.auth_context()['transport_security_type'][0].decode()}")


def pem(name: str) -> bytes:
    return Path(os.environ["EXAMPLES_FOLDER"], name).read_bytes()


def serve() -> tuple[Any, str]:
    server = grpc.server(futures.ThreadPoolExecutor(max_workers=4), interceptors=[Verifying()])
    greeter.services.add_GreeterServicer_to_server(Greeter(), server)
    credentials = grpc.ssl_server_credentials([(pem("server.key"), pem("server.pem"))])
    port = server.add_secure_port("localhost:0", credentials)
    server.start()
    return server, f"localhost:{port}"


def run(target: str) -> list[str]:
    channel_credentials = grpc.ssl_channel_credentials(pem("server.pem"))
    call_credentials = grpc.metadata_call_credentials(Signing(), name="signing")
    composite = grpc.composite_channel_credentials(channel_credentials, call_credentials)
    seen: list[str] = []
    with grpc.secure_channel(target, composite) as channel:
        seen.append(greeter.stub(channel).SayHello(greeter.request("signed")).message)
    with grpc.secure_channel(target, channel_credentials) as channel:
        try:
            greeter.stub(channel).SayHello(greeter.request("unsigned"))
        except grpc.RpcError as error:
            seen.append(f"{error.code().name}: {error.details()}")
    return seen
