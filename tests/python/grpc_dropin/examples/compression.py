# SPDX-License-Identifier: MIT
"""Messages that gzip compresses, by channel, by call and by server."""

from __future__ import annotations

from typing import Any

import grpc

from . import greeter


class Greeter(greeter.Greeter):
    def SayHello(self, request: Any, context: Any) -> Any:
        if request.name.startswith("plain"):
            context.disable_next_message_compression()
        return greeter.reply(request.name * 2)


def serve() -> tuple[Any, str]:
    return greeter.serve(Greeter(), compression=grpc.Compression.Gzip)


def run(target: str) -> list[str]:
    seen: list[str] = []
    for channel_compression in (grpc.Compression.Gzip, grpc.Compression.NoCompression):
        with grpc.insecure_channel(target, compression=channel_compression) as channel:
            for call_compression in (None, grpc.Compression.Gzip, grpc.Compression.NoCompression):
                for name in ("x" * 10000, "plain" * 2000):
                    request = greeter.request(name)
                    response = greeter.stub(channel).SayHello(request, compression=call_compression)
                    seen.append(f"{response.message == 2 * name}")
    return seen
