# SPDX-License-Identifier: MIT
"""A custom compressor: run lengths, negotiated by name, used only where it makes the message smaller.

Usage: python custom_compressor.py serve ENDPOINT | call ENDPOINT
"""

from __future__ import annotations

import itertools
import os
import sys

import trunkline


class RunLengthCompressor(trunkline.Compressor):
    """Pairs of a count (1 to 255) and a byte."""

    name = "run-length"

    def __init__(self) -> None:
        self.compressed = self.decompressed = 0

    def compress(self, data: bytes) -> bytes:
        out = bytearray()
        for byte, run in itertools.groupby(data):
            whole, rest = divmod(sum(1 for _ in run), 255)
            out += bytes((255, byte)) * whole
            if rest:
                out += bytes((rest, byte))
        self.compressed += 1
        return bytes(out)

    def decompress(self, data: bytes, size: int) -> bytes:
        counts, values = data[::2], data[1::2]
        if len(counts) != len(values) or sum(counts) != size or 0 in counts:
            raise ValueError("run lengths do not make up the message")
        self.decompressed += 1
        return b"".join(bytes((value,)) * count for count, value in zip(counts, values))

    def decompress_unsized(self, data: bytes, limit: int) -> bytes:
        """For gRPC, which does not transmit the size of a message."""
        return self.decompress(data, min(sum(data[::2]), limit))


def serve(endpoint: str) -> None:
    server = trunkline.Server(
        compressors=[RunLengthCompressor()],
        # For tls:// endpoints.
        certificate_file=os.environ.get("EXAMPLE_CERTIFICATE_FILE", ""),
        private_key_file=os.environ.get("EXAMPLE_PRIVATE_KEY_FILE", ""),
    )

    @server.method("Echo")
    def echo(text: bytes) -> bytes:
        return text

    running = server.serve(endpoint)
    print(f"listening on {running.endpoint}", flush=True)
    running.run_until_signal(grace=5.0)
    print("stopped: ok")


def call(endpoint: str) -> bool:
    compressor = RunLengthCompressor()
    text = b"a" * 100_000
    with trunkline.Channel(endpoint, compressors=[compressor], compressor="run-length") as channel:
        channel.wait_for_ready(10.0)  # the compressors of the server are known after its hello
        echoed = channel.call("Echo", text, timeout=10.0)
    times = f"compressed {compressor.compressed} times, decompressed {compressor.decompressed} times"
    print(f"echoed {len(echoed)} bytes, {times}")
    return bool(echoed == text) and compressor.compressed == compressor.decompressed == 1


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
