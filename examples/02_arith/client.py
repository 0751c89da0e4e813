# SPDX-License-Identifier: MIT
"""A client of example.Arith: one call, then a thousand pipelined ones, whose products are checked."""

from __future__ import annotations

import trunkline
from generated.arith_pb2 import ArithRequest
from generated.arith_trunkline import ArithClient


def call_arith(channel: trunkline.Channel) -> bool:
    client = ArithClient(channel, timeout=5.0)
    reply = client.multiply(ArithRequest(a=6, b=7))
    print(f"arith: 6 * 7 = {reply.pro}")
    responses = client.multiply.map((ArithRequest(a=i, b=i) for i in range(1000)), window=64)
    right = sum(response.pro == i * i for i, response in enumerate(responses))
    print(f"arith: {right} of 1000 squares are right")
    try:
        client.multiply(ArithRequest(a=1 << 30, b=7))
    except trunkline.OutOfRange as refused:
        print(f"arith: too large: {refused}")
        return reply.pro == 42 and right == 1000 and refused.details(ArithRequest)[0].a == 1 << 30
    return False
