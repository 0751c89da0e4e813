# SPDX-License-Identifier: MIT
"""Interceptors: that of the client adds a token to every call; those of the server check it and count calls by outcome.

Usage: python interceptor.py serve ENDPOINT | call ENDPOINT
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Iterator

import trunkline


def add_token(call: trunkline.OutgoingCall) -> Iterator[None]:
    call.set_metadata("authorization", "Bearer secret")
    yield


def check_token(call: trunkline.IncomingCall) -> Iterator[None]:
    if call.context.metadata.get("authorization") != "Bearer secret":
        raise trunkline.Unauthenticated("the token is missing or wrong")
    yield


class CountCalls:
    def __init__(self) -> None:
        self.ok = self.failed = 0
        self._lock = threading.Lock()

    def __call__(self, call: trunkline.IncomingCall) -> Iterator[None]:
        try:
            yield
        except trunkline.RpcError:
            with self._lock:
                self.failed += 1
            raise
        with self._lock:
            self.ok += 1


def serve(endpoint: str) -> bool:
    counter = CountCalls()
    server = trunkline.Server(
        interceptors=[counter, check_token],
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
    print(f"the server counted {counter.ok} ok, {counter.failed} failed")
    return counter.ok == counter.failed == 1


def call(endpoint: str) -> bool:
    with trunkline.Channel(endpoint, interceptors=[add_token]) as trusted:
        echoed = trusted.call("Echo", b"hi", timeout=10.0)
    print(f"with the token: {echoed.decode()}")
    with trunkline.Channel(endpoint) as stranger:
        try:
            stranger.call("Echo", b"hi", timeout=10.0)
        except trunkline.Unauthenticated as refused:
            print(f"without: {refused}")
            return bool(echoed == b"hi")
    return False


def main() -> int:
    if len(sys.argv) != 3 or sys.argv[1] not in ("serve", "call"):
        print(f"usage: {sys.argv[0]} serve ENDPOINT | call ENDPOINT", file=sys.stderr)
        return 2
    return 0 if (call if sys.argv[1] == "call" else serve)(sys.argv[2]) else 1


if __name__ == "__main__":
    sys.exit(main())
