# SPDX-License-Identifier: MIT
"""Runs one side of all examples: ``... servers|clients IMPLEMENTATION``.

Servers print the targets of the examples as JSON, and run until their standard input ends. Clients read that line from
their standard input, and print what each example has seen, or its traceback.
"""

from __future__ import annotations

import asyncio
import importlib
import inspect
import json
import sys
import traceback
from typing import Any

EXAMPLES = (
    "async_greeter",
    "async_streaming",
    "auth",
    "cancellation",
    "compression",
    "errors",
    "health",
    "helloworld",
    "interceptors",
    "keep_alive",
    "metadata",
    "multiplex",
    "retry",
    "route_guide",
    "timeout",
    "wait_for_ready",
)


def example(name: str) -> Any:
    return importlib.import_module(f".{name}", __package__)


async def outcome(value: Any) -> Any:
    """What a function or coroutine has returned."""
    return await value if inspect.isawaitable(value) else value


async def run_servers() -> None:
    served = {name: await outcome(example(name).serve()) for name in EXAMPLES}
    print(json.dumps({name: target for name, (_, target) in served.items()}), flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)
    for server, _ in served.values():
        stopped = server.stop(None)
        await stopped if inspect.isawaitable(stopped) else stopped.wait()


def run_clients() -> None:
    seen: dict[str, Any] = {}
    for name, target in json.loads(sys.stdin.readline()).items():
        try:
            seen[name] = example(name).run(target)
        except Exception:
            seen[name] = traceback.format_exc()
    print(json.dumps(seen))


if __name__ == "__main__":
    side, implementation = sys.argv[1:]
    if implementation == "trunkline":
        import trunkline.grpc

        trunkline.grpc.install()
    if side == "servers":
        asyncio.run(run_servers())
    else:
        run_clients()
