# SPDX-License-Identifier: MIT
"""The service example.Echo: a plain function that may refuse a request."""

from __future__ import annotations

import trunkline
from generated.echo_pb2 import EchoRequest, EchoResponse
from generated.echo_trunkline import EchoService


class Wall(EchoService):
    def say(self, request: EchoRequest, context: trunkline.Context) -> EchoResponse:
        if not request.text:
            raise trunkline.InvalidArgument("say: text is empty")
        return EchoResponse(text=request.text)


def add_echo(server: trunkline.Server) -> None:
    server.add_service(Wall())
