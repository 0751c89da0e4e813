# SPDX-License-Identifier: MIT
"""One request, one response."""

from __future__ import annotations

from typing import Any

import grpc

from . import greeter


class Greeter(greeter.Greeter):
    def SayHello(self, request: Any, context: Any) -> Any:
        return greeter.reply(f"Hello, {request.name}!")


def serve() -> tuple[Any, str]:
    return greeter.serve(Greeter())


def run(target: str) -> list[str]:
    with grpc.insecure_channel(target) as channel:
        return [greeter.stub(channel).SayHello(greeter.request("you")).message]
