# SPDX-License-Identifier: MIT
"""grpcio: blocking calls, or futures."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from driver.options import Options, parse, say_listening, wait_for_end_of_input
from driver.pace import Pace, check, keep_calling
from google.protobuf.wrappers_pb2 import BytesValue

METHOD = "/contest.Contest/Echo"


def echo(request: BytesValue, context: Any) -> BytesValue:
    return BytesValue(value=request.value)


class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]
    def service(self, handler_call_details: Any) -> Any:
        return grpc.unary_unary_rpc_method_handler(echo, BytesValue.FromString, BytesValue.SerializeToString)


def serve() -> None:
    server = grpc.server(ThreadPoolExecutor(4), handlers=[Handler()])
    port = server.add_insecure_port("127.0.0.1:0")
    server.start()
    say_listening(f"127.0.0.1:{port}")
    wait_for_end_of_input()
    server.stop(0).wait()


def call(options: Options) -> None:
    request = BytesValue(value=options.payload)
    pace = Pace(options)
    with grpc.insecure_channel(options.target) as channel:
        ask = channel.unary_unary(METHOD, BytesValue.SerializeToString, BytesValue.FromString)

        def ask_once() -> None:
            check(ask(request) == request)

        ask_once()
        if options.outstanding == 1:
            keep_calling(pace, ask_once)
        else:
            call_in_a_window(options, ask, request, pace)
    pace.print()


def call_in_a_window(options: Options, ask: Any, request: BytesValue, pace: Pace) -> None:
    pace.begin()
    futures = deque((pace.start(), ask.future(request)) for _ in range(options.outstanding))
    while futures:
        sent, future = futures.popleft()
        check(future.result() == request)
        if pace.finish(sent):
            futures.append((pace.start(), ask.future(request)))


if __name__ == "__main__":
    chosen = parse()
    serve() if chosen.serves else call(chosen)
