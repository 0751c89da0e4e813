# SPDX-License-Identifier: MIT
"""A status with details, and a handler that raises."""

from __future__ import annotations

from typing import Any

import grpc
from google.protobuf import any_pb2
from google.rpc import code_pb2, error_details_pb2, status_pb2
from grpc_status import rpc_status

from . import greeter


class Greeter(greeter.Greeter):
    def SayHello(self, request: Any, context: Any) -> Any:
        if request.name == "raise":
            raise KeyError("lost")
        detail = any_pb2.Any()
        failure = error_details_pb2.QuotaFailure(
            violations=[error_details_pb2.QuotaFailure.Violation(subject=request.name, description="greeted enough")]
        )
        detail.Pack(failure)
        status = status_pb2.Status(code=code_pb2.RESOURCE_EXHAUSTED, message="no more greetings", details=[detail])
        context.abort_with_status(rpc_status.to_status(status))


def serve() -> tuple[Any, str]:
    return greeter.serve(Greeter())


def run(target: str) -> list[str]:
    seen: list[str] = []
    with grpc.insecure_channel(target) as channel:
        stub = greeter.stub(channel)
        try:
            stub.SayHello(greeter.request("you"))
        except grpc.RpcError as error:
            status = rpc_status.from_call(error)  # pyright: ignore[reportArgumentType]
            failure = error_details_pb2.QuotaFailure()
            status.details[0].Unpack(failure)
            seen.append(f"{error.code().name}: {status.message}: {failure.violations[0].subject}")
        try:
            stub.SayHello(greeter.request("raise"))
        except grpc.RpcError as error:
            seen.append(error.code().name)
    return seen
