# SPDX-License-Identifier: MIT
"""Pings that keep connections alive, of both sides."""

from __future__ import annotations

from typing import Any

import grpc

from . import greeter

SERVER_OPTIONS = [
    ("grpc.keepalive_time_ms", 20000),
    ("grpc.keepalive_timeout_ms", 10000),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5000),
    ("grpc.max_connection_idle_ms", 10000),
    ("grpc.max_connection_age_ms", 30000),
    ("grpc.max_connection_age_grace_ms", 5000),
]
CLIENT_OPTIONS = [
    ("grpc.keepalive_time_ms", 8000),
    ("grpc.keepalive_timeout_ms", 5000),
    ("grpc.http2.max_pings_without_data", 5),
    ("grpc.keepalive_permit_without_calls", 1),
]


class Greeter(greeter.Greeter):
    def SayHello(self, request: Any, context: Any) -> Any:
        return greeter.reply(f"Hello, {request.name}!")


def serve() -> tuple[Any, str]:
    return greeter.serve(Greeter(), options=SERVER_OPTIONS)


def run(target: str) -> list[str]:
    with grpc.insecure_channel(target, options=CLIENT_OPTIONS) as channel:
        return [greeter.stub(channel).SayHello(greeter.request("you")).message]
