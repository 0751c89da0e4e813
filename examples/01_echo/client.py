# SPDX-License-Identifier: MIT
"""A client of example.Echo: a call, a call that the server refuses, and a future."""

from __future__ import annotations

import trunkline
from generated.echo_pb2 import EchoRequest
from generated.echo_trunkline import EchoClient


def call_echo(channel: trunkline.Channel) -> bool:
    client = EchoClient(channel, timeout=5.0)
    request = EchoRequest(text="hello")
    reply = client.say(request)
    print(f"echo: {reply.text}")
    try:
        client.say(EchoRequest())
    except trunkline.InvalidArgument as refused:
        print(f"echo: of nothing: {refused}")
    else:
        return False
    later = client.say.submit(request)
    return reply.text == "hello" and later.result() == reply
