# SPDX-License-Identifier: MIT
"""Plays cases against a conformance server and prints a line for each.

Usage: python -m python.interop.client blocking|asyncio ENDPOINT [CASE...]
Without names it plays all cases that leave the server alive.
"""

from __future__ import annotations

import asyncio
import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any, cast

import trunkline
from trunkline import aio

from .all_cases import CASES
from .blocking_channel import BlockingChannel, run
from .cases import PATIENCE, Client


def open_blocking(endpoint: str, **options: Any) -> aio.Channel:
    return cast(aio.Channel, BlockingChannel(trunkline.Channel(endpoint, **options)))


def describe(error: BaseException) -> str:
    """Describes an error and its place in the case on one line."""
    frames = traceback.extract_tb(error.__traceback__)
    place = next((frame for frame in reversed(frames) if frame.filename.endswith("_cases.py")), frames[-1])
    text = f"{os.path.basename(place.filename)}:{place.lineno}: {place.line}: {type(error).__name__}: {error}"
    return text.replace("\n", " ")


async def play(name: str, client: Client) -> bool:
    try:
        await CASES[name].play(client)
    except Exception as error:
        print(f"failed {name}: {describe(error)}", flush=True)
        return False
    print(f"ok {name}", flush=True)
    return True


async def play_all(client: Client, wanted: Sequence[str]) -> int:
    await client.channel.wait_for_ready(PATIENCE)  # afterwards what the server takes is known
    names = [name for name in CASES if (name in wanted if wanted else not CASES[name].ends_server)]
    results = [await play(name, client) for name in names]
    return 0 if all(results) else 1


async def play_asyncio(endpoint: str, wanted: Sequence[str]) -> int:
    return await play_all(Client(endpoint, aio.Channel), wanted)


def main() -> int:
    if len(sys.argv) < 3 or sys.argv[1] not in ("blocking", "asyncio"):
        print(f"usage: {sys.argv[0]} blocking|asyncio ENDPOINT [CASE...]", file=sys.stderr)
        return 2
    _, kind, endpoint, *wanted = sys.argv
    unknown = [name for name in wanted if name not in CASES]
    if unknown:
        print(f"no case {unknown[0]!r}", file=sys.stderr)
        return 2
    if kind == "blocking":
        return run(play_all(Client(endpoint, open_blocking), wanted))
    return asyncio.run(play_asyncio(endpoint, wanted))


if __name__ == "__main__":
    sys.exit(main())
