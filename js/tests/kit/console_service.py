# SPDX-License-Identifier: MIT
"""The server whose console the tests use, in Python. Prints its endpoint; stops when its input ends.

It does what tests/interop/console_server.cpp does.

Usage: python console_service.py [TOKEN]
"""

from __future__ import annotations

import math
import pathlib
import random
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from typing import Any

import trunkline

definitions = pathlib.Path(__file__).parents[3] / "tests/interop"
generated = tempfile.TemporaryDirectory()
generate = [sys.executable, "-m", "trunkline.generate", "--out", generated.name, "shop.proto"]
subprocess.run(generate, cwd=definitions, check=True)
sys.path.insert(0, generated.name)

import shop_pb2 as shop  # noqa: E402
import shop_trunkline  # noqa: E402

server = trunkline.Server(threads=8)


class Keeper(shop_trunkline.OrdersService):
    def place(self, request: Any, context: trunkline.Context) -> Any:
        if not request.lines:
            raise trunkline.InvalidArgument("place: the order has no lines", details=[shop.Line(article="none")])
        who = context.metadata.get("who", b"")
        context.add_leading_metadata("shop-region", "north")
        context.add_trailing_metadata("shop-who", who)
        return shop.Order(number=2**64 - 1, request=request, total=12.5)

    def get(self, request: Any, context: trunkline.Context) -> Any:
        if request.number == 7:
            raise trunkline.NotFound("get: order 7 is not known")
        return shop.Order(number=request.number)

    def find(self, request: Any, context: trunkline.Context) -> Any:
        return self.get(request, context)

    def watch_price(self, request: Any, context: trunkline.Context) -> Iterator[Any]:
        sent = 0
        while not context.is_cancelled() and (not request.limit or sent < request.limit):
            sent += 1
            yield shop.Price(article=request.article, cents=sent)
            time.sleep(0.02)

    def total(self, requests: Iterator[Any], context: trunkline.Context) -> Any:
        return shop.TotalResponse(amount=sum(each.amount for each in requests))

    def chat(self, requests: Iterator[Any], context: trunkline.Context) -> Iterator[Any]:
        for each in requests:
            yield shop.ChatMessage(text=f"you said: {each.text}")


server.add_service(Keeper())


@server.method("Greet")
def greet(name: str) -> str:
    """Greets whoever is named."""
    return f"hello, {name}"


@server.method("Report")
def report(kind: str) -> str:
    """Makes a report, which takes its time."""
    time.sleep(random.uniform(0.1, 0.4))
    return kind


@server.method("Load")
def load(seconds: float) -> str:
    """Makes calls of its own for a while."""

    def call_some(end: float) -> None:
        with trunkline.Channel(running.endpoint) as channel:
            client = shop_trunkline.OrdersClient(channel)
            while time.monotonic() < end:
                drawn = random.random()
                try:
                    if drawn < 0.6:
                        channel.call("Greet", "load", timeout=5.0)
                    elif drawn < 0.9:
                        client.get(shop.GetRequest(number=random.randrange(50)), timeout=5.0)
                    elif drawn < 0.98:
                        client.place(shop.PlaceRequest(lines=[shop.Line()] * random.randrange(2)), timeout=5.0)
                    else:
                        channel.call("Report", "load", timeout=random.choice([0.2, 5.0]))
                except trunkline.RpcError:
                    pass
                time.sleep(0.01 * (1.2 + math.sin(time.monotonic() / 5)))

    for _ in range(4):
        threading.Thread(target=call_some, args=(time.monotonic() + seconds,), daemon=True).start()
    return "begun"


server.add_console(token=sys.argv[1] if len(sys.argv) > 1 else None)
with server.serve("tcp://127.0.0.1:0") as running:
    print(running.endpoint, flush=True)
    sys.stdin.read()
