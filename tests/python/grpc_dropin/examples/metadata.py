# SPDX-License-Identifier: MIT
"""Metadata of the client, before the response, and with the status."""

from __future__ import annotations

from typing import Any

import grpc

from . import greeter


class Greeter(greeter.Greeter):
    def SayHello(self, request: Any, context: Any) -> Any:
        received = {key: value for key, value in context.invocation_metadata()}
        context.send_initial_metadata((("initial", "1"),))
        context.set_trailing_metadata((("checksum-bin", b"\x00\xff"), ("retry", "false")))
        return greeter.reply(f"{received['client']} {received['client-bin']!r}")


def serve() -> tuple[Any, str]:
    return greeter.serve(Greeter())


def run(target: str) -> list[str]:
    metadata = (("client", "first"), ("client-bin", b"\x01\x02"))
    with grpc.insecure_channel(target) as channel:
        response, call = greeter.stub(channel).SayHello.with_call(greeter.request("you"), metadata=metadata)
        initial = [value for key, value in call.initial_metadata() if key == "initial"]
        trailing = {key: value for key, value in call.trailing_metadata()}
        return [response.message, *initial, repr(trailing["checksum-bin"]), trailing["retry"]]
