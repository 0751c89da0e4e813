# SPDX-License-Identifier: MIT
"""grpc.aio: a task for each call under way."""

from __future__ import annotations

import asyncio
from typing import Any

import grpc
from driver.options import TAIL_DELAY_US, Options, input_ended, parse, run, say_listening
from driver.pace import Pace, keep_calling_aio
from google.protobuf.wrappers_pb2 import BytesValue

METHOD = "/contest.Contest/Echo"
LATE_METHOD = "/contest.Contest/LateEcho"


async def echo(request: BytesValue, context: Any) -> BytesValue:
    return BytesValue(value=request.value)


async def late_echo(request: BytesValue, context: Any) -> BytesValue:
    await asyncio.sleep(TAIL_DELAY_US / 1e6)
    return BytesValue(value=request.value)


class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]
    def service(self, handler_call_details: Any) -> Any:
        function = late_echo if handler_call_details.method == LATE_METHOD else echo
        return grpc.unary_unary_rpc_method_handler(function, BytesValue.FromString, BytesValue.SerializeToString)


async def serve() -> None:
    server = grpc.aio.server(handlers=[Handler()])
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    say_listening(f"127.0.0.1:{port}")
    await input_ended()
    await server.stop(0)


async def call(options: Options) -> None:
    payload = options.payload
    request = BytesValue(value=payload)
    pace = Pace(options)
    # Otherwise channels to one address share one connection.
    own = [("grpc.use_local_subchannel_pool", 1)]
    channels = [grpc.aio.insecure_channel(options.target, options=own) for _ in range(options.connections)]
    coding = BytesValue.SerializeToString, BytesValue.FromString

    async def caller(channel: Any) -> None:
        prompt, late = channel.unary_unary(METHOD, *coding), channel.unary_unary(LATE_METHOD, *coding)

        async def ask() -> None:
            answer = await (late if pace.is_delayed() else prompt)(request)
            pace.check(answer.value, payload)

        await keep_calling_aio(pace, ask)

    for channel in channels:
        pace.check((await channel.unary_unary(METHOD, *coding)(request)).value, payload)
    pace.begin()
    await asyncio.gather(*(caller(channels[index % len(channels)]) for index in range(options.outstanding)))
    for channel in channels:
        await channel.close()
    pace.print()


if __name__ == "__main__":
    chosen = parse()
    run(serve if chosen.serves else lambda: call(chosen), chosen)
