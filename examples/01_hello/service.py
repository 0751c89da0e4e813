# SPDX-License-Identifier: MIT
"""The server's side of example.Hello: a plain function that may refuse."""

from __future__ import annotations

from typing import Any

import trunkline
from messages import load

_messages = load("01_hello/hello.proto")
HelloRequest: Any = _messages["HelloRequest"]
HelloResponse: Any = _messages["HelloResponse"]


def add_hello(server: trunkline.Server) -> None:
    @server.method("example.Hello/Greet")
    def greet(request: HelloRequest) -> HelloResponse:
        if not request.name:
            raise trunkline.InvalidArgument("greet: name is empty")
        return HelloResponse(greeting=f"hello, {request.name}")
