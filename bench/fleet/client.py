# SPDX-License-Identifier: MIT
"""Calls servers through one channel, and prints a line for each call: its latency in microseconds, counted from when it
was to begin, and the number of its server. The times at which calls begin are a Poisson process.

Usage: client.py tcp|grpc|grpcio HOST:PORT,HOST:PORT... POLICY CALLS_PER_SECOND SECONDS SEED
tcp and grpc: a channel of Trunkline; grpcio: gRPC's core in C++, by its package for Python.
"""

from __future__ import annotations

import asyncio
import json
import random
import sys
import time
from collections.abc import Awaitable, Callable
from typing import Any

import grpc
from google.protobuf.wrappers_pb2 import BytesValue
from paced_server import METHOD
from trunkline import aio

TIMEOUT = 20.0
REQUEST = BytesValue(value=b"x")
Echo = Callable[[], Awaitable[BytesValue]]


def connect_grpcio(servers: str, policy: str) -> tuple[Any, Echo]:
    config = json.dumps({"loadBalancingConfig": [{policy: {}}]})
    channel = grpc.aio.insecure_channel(f"ipv4:{servers}", [("grpc.service_config", config)])
    method = channel.unary_unary(f"/{METHOD}", BytesValue.SerializeToString, BytesValue.FromString)
    return channel, lambda: method(REQUEST, timeout=TIMEOUT)


def connect_trunkline(scheme: str, servers: str, policy: str) -> tuple[Any, Echo]:
    channel = aio.Channel(f"{scheme}://{servers}", balancing=policy)
    return channel, lambda: channel.call(METHOD, REQUEST, BytesValue, timeout=TIMEOUT)


async def time_call(echo: Echo, due: float) -> str:
    try:
        response = await echo()
    except Exception as error:
        return f"failed {error!r}"
    return f"{(time.monotonic() - due) * 1e6:.0f} {response.value.decode()}"


async def main(kind: str, servers: str, policy: str, rate: float, seconds: float, seed: int) -> None:
    made = connect_grpcio(servers, policy) if kind == "grpcio" else connect_trunkline(kind, servers, policy)
    channel, echo = made
    pauses = random.Random(seed)
    calls = []
    due = time.monotonic()
    end = due + seconds
    while due < end:
        await asyncio.sleep(max(0.0, due - time.monotonic()))
        calls.append(asyncio.create_task(time_call(echo, due)))
        due += pauses.expovariate(rate)
    for line in await asyncio.gather(*calls):
        print(line)
    await channel.close()


if __name__ == "__main__":
    if len(sys.argv) != 7:
        sys.exit("usage: client.py tcp|grpc|grpcio HOST:PORT,HOST:PORT... POLICY CALLS_PER_SECOND SECONDS SEED")
    kind, servers, policy, rate, seconds, seed = sys.argv[1:]
    asyncio.run(main(kind, servers, policy, float(rate), float(seconds), int(seed)))
