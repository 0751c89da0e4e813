# SPDX-License-Identifier: MIT
"""A custom codec: plain classes as "name=value" lines, negotiated by name like the built-in ones.

Usage: python custom_codec.py serve ENDPOINT | call ENDPOINT
"""

from __future__ import annotations

import dataclasses
import os
import re
import sys
from typing import Any

import trunkline


@dataclasses.dataclass
class Point:
    x: int
    y: int


class LinesCodec(trunkline.Codec):
    name = "lines"

    def supports(self, kind: Any) -> bool:
        return kind is Point

    def encode(self, message: Any) -> bytes:
        return f"x={message.x}\ny={message.y}\n".encode()

    def decode(self, data: bytes, kind: Any) -> Point:
        found = re.fullmatch(rb"x=(-?\d+)\ny=(-?\d+)\n", data)
        if found is None:
            raise ValueError("expected x=NUMBER and y=NUMBER on a line each")
        return Point(int(found[1]), int(found[2]))


def serve(endpoint: str) -> None:
    server = trunkline.Server(
        codecs=[LinesCodec()],
        # For tls:// endpoints.
        certificate_file=os.environ.get("EXAMPLE_CERTIFICATE_FILE", ""),
        private_key_file=os.environ.get("EXAMPLE_PRIVATE_KEY_FILE", ""),
    )

    @server.method("Mirror")
    def mirror(point: Point) -> Point:
        return Point(-point.x, -point.y)

    running = server.serve(endpoint)
    print(f"listening on {running.endpoint}", flush=True)
    running.run_until_signal(grace=5.0)
    print("stopped: ok")


def call(endpoint: str) -> bool:
    with trunkline.Channel(endpoint, codecs=[LinesCodec()]) as channel:
        mirrored = channel.call("Mirror", Point(3, -4), Point, timeout=10.0)
    print(f"mirror of (3, -4): ({mirrored.x}, {mirrored.y})")
    return mirrored == Point(-3, 4)


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in ("serve", "call"):
        print(f"usage: {sys.argv[0]} serve ENDPOINT | call ENDPOINT", file=sys.stderr)
        return 2
    if sys.argv[1] == "call":
        return 0 if call(sys.argv[2]) else 1
    serve(sys.argv[2])
    return 0


if __name__ == "__main__":
    sys.exit(main())
