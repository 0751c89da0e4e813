# SPDX-License-Identifier: MIT
"""grpcio: blocking calls, or futures."""

from __future__ import annotations

from collections import deque
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import grpc
from driver.options import Options, parse, say_listening, wait_for_end_of_input
from driver.pace import Pace, keep_calling
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
    payload = options.payload
    request = BytesValue(value=payload)
    pace = Pace(options)
    # Otherwise channels to one address share one connection.
    own = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.insecure_channel(options.target, options=own) for _ in range(options.connections)]
    asks = [channel.unary_unary(METHOD, BytesValue.SerializeToString, BytesValue.FromString) for channel in channels]
    for ask in asks:
        pace.check(ask(request).value, payload)
    if options.outstanding == 1:
        keep_calling(pace, lambda: pace.check(asks[0](request).value, payload))
    else:
        call_in_a_window(options, asks, payload, pace)
    for channel in channels:
        channel.close()
    pace.print()


def call_in_a_window(options: Options, asks: list[Any], payload: bytes, pace: Pace) -> None:
    request = BytesValue(value=payload)
    pace.begin()
    turns = (asks[index % len(asks)] for index in range(options.outstanding))
    futures = deque((ask, pace.start(), ask.future(request)) for ask in turns)
    while futures:
        ask, sent, future = futures.popleft()
        pace.check(future.result().value, payload)
        if pace.finish(sent):
            futures.append((ask, pace.start(), ask.future(request)))


if __name__ == "__main__":
    chosen = parse()
    serve() if chosen.serves else call(chosen)
