# SPDX-License-Identifier: MIT
"""Trunkline in Python, blocking: one call at a time, or a window of them by map."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

from driver.options import Options, parse, say_listening, wait_for_end_of_input
from driver.pace import Pace, keep_calling
from driver.sums import Factors, Product
from google.protobuf.wrappers_pb2 import BytesValue

import trunkline

METHOD = "contest.Contest/Echo"
MULTIPLY_METHOD = "contest.Contest/Multiply"
SPIN_SECONDS = 50e-6


def serve(options: Options) -> None:
    server = trunkline.Server(threads=4, busy_poll=SPIN_SECONDS if options.busy_poll else 0.0)

    @server.method(METHOD)
    def echo(request: BytesValue) -> BytesValue:
        return BytesValue(value=request.value)

    @server.method(MULTIPLY_METHOD)
    def multiply(request: Factors) -> Product:
        return Product(pro=request.a * request.b)

    with server.serve("tcp://127.0.0.1:0") as running:
        say_listening(running.endpoint)
        wait_for_end_of_input()


def call(options: Options) -> None:
    payload = options.payload
    request = BytesValue(value=payload)
    pace = Pace(options)
    with trunkline.Channel(options.target, busy_poll=SPIN_SECONDS if options.busy_poll else 0.0) as channel:

        def ask() -> None:
            pace.check(channel.call(METHOD, request, BytesValue).value, payload)

        ask()
        if options.outstanding == 1:
            keep_calling(pace, ask)
        else:
            call_in_a_window(options, channel, payload, pace)
    pace.print()


def call_in_a_window(options: Options, channel: trunkline.Channel, payload: bytes, pace: Pace) -> None:
    request = BytesValue(value=payload)
    sent: deque[float] = deque()

    def requests() -> Iterator[BytesValue]:
        while not pace.is_over:
            sent.append(pace.start())
            yield request

    pace.begin()
    for response in channel.map(METHOD, requests(), BytesValue, window=options.outstanding):
        pace.check(response.value, payload)
        pace.finish(sent.popleft())


if __name__ == "__main__":
    chosen = parse()
    serve(chosen) if chosen.serves else call(chosen)
