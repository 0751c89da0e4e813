# SPDX-License-Identifier: MIT
"""A method that fails twice and that the service config of the channel retries."""

from __future__ import annotations

import itertools
import json
from typing import Any

import grpc

from . import greeter

SERVICE_CONFIG = json.dumps(
    {
        "methodConfig": [
            {
                "name": [{"service": "dropin.examples.greeting.Greeter"}],
                "retryPolicy": {
                    "maxAttempts": 5,
                    "initialBackoff": "0.01s",
                    "maxBackoff": "0.1s",
                    "backoffMultiplier": 2,
                    "retryableStatusCodes": ["UNAVAILABLE"],
                },
            }
        ]
    }
)


class Greeter(greeter.Greeter):
    def __init__(self) -> None:
        self._attempts = itertools.count(1)

    def SayHello(self, request: Any, context: Any) -> Any:
        attempt = next(self._attempts)
        if attempt <= 2:
            context.abort(grpc.StatusCode.UNAVAILABLE, "try again")
        return greeter.reply(f"Hello, {request.name}, attempt {attempt}")


def serve() -> tuple[Any, str]:
    return greeter.serve(Greeter())


def run(target: str) -> list[str]:
    with grpc.insecure_channel(target, options=[("grpc.service_config", SERVICE_CONFIG)]) as channel:
        return [greeter.stub(channel).SayHello(greeter.request("you")).message]
