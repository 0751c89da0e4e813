# SPDX-License-Identifier: MIT
"""The client's side of Arith: one call, then a thousand pipelined ones, each product checked."""

from __future__ import annotations

from typing import Any

import trunkline
from messages import load

_messages = load("02_arith/arith.proto")
ArithRequest: Any = _messages["ArithRequest"]
ArithResponse: Any = _messages["ArithResponse"]


def call_arith(channel: trunkline.Channel) -> bool:
    reply = channel.call("Arith.Multiply", ArithRequest(a=6, b=7), ArithResponse, timeout=5.0)
    print(f"arith: 6 * 7 = {reply.pro}")
    requests = (ArithRequest(a=i, b=i) for i in range(1000))
    answers = channel.map("Arith.Multiply", requests, ArithResponse, window=64)
    right = sum(answer.pro == i * i for i, answer in enumerate(answers))
    print(f"arith: {right} of 1000 squares are right")
    try:
        channel.call("Arith.Multiply", ArithRequest(a=1 << 30, b=7), ArithResponse, timeout=5.0)
    except trunkline.OutOfRange as refused:
        print(f"arith: too large: {refused}")
        return bool(reply.pro == 42 and right == 1000 and refused.details(ArithRequest)[0].a == 1 << 30)
    return False
