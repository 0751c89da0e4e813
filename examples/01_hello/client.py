# SPDX-License-Identifier: MIT
"""The client's side of example.Hello: a call, a call that is refused, and a future."""

from __future__ import annotations

from typing import Any

import trunkline
from messages import load

_messages = load("01_hello/hello.proto")
HelloRequest: Any = _messages["HelloRequest"]
HelloResponse: Any = _messages["HelloResponse"]


def call_hello(channel: trunkline.Channel) -> bool:
    request = HelloRequest(name="world")
    reply = channel.call("example.Hello/Greet", request, HelloResponse, timeout=5.0)
    print(f"hello: {reply.greeting}")
    try:
        channel.call("example.Hello/Greet", HelloRequest(), HelloResponse, timeout=5.0)
    except trunkline.InvalidArgument as refused:
        print(f"hello: without a name: {refused}")
    else:
        return False
    later = channel.submit("example.Hello/Greet", request, HelloResponse, timeout=5.0)
    return bool(reply.greeting == "hello, world" and later.result() == reply)
