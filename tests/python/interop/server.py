# SPDX-License-Identifier: MIT
"""Hosts the conformance service until SIGTERM, then drains.

Usage: python -m python.interop.server blocking|asyncio ENDPOINT...
"""

from __future__ import annotations

import asyncio
import signal
import sys
from collections.abc import Sequence

from . import asyncio_service, blocking_service


def announce(endpoints: Sequence[str]) -> None:
    for endpoint in endpoints:
        print(f"listening on {endpoint}", flush=True)


def serve_blocking(endpoints: list[str]) -> None:
    running = blocking_service.make_server().serve(*endpoints)
    announce(running.endpoints)
    running.run_until_signal(signal.SIGTERM, grace=20.0)


async def serve_asyncio(endpoints: list[str]) -> None:
    running = asyncio_service.make_server().serve(*endpoints)
    announce(running.endpoints)
    await running.run_until_signal(signal.SIGTERM, grace=20.0)


def main() -> int:
    if len(sys.argv) < 3 or sys.argv[1] not in ("blocking", "asyncio"):
        print(f"usage: {sys.argv[0]} blocking|asyncio ENDPOINT...", file=sys.stderr)
        return 2
    if sys.argv[1] == "blocking":
        serve_blocking(sys.argv[2:])
    else:
        asyncio.run(serve_asyncio(sys.argv[2:]))
    print("stopped: ok", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
