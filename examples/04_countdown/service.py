# SPDX-License-Identifier: MIT
"""The server's side of example.Countdown: a generator, which waits for the client to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import trunkline
from messages import load

_messages = load("04_countdown/countdown.proto")
CountdownRequest: Any = _messages["CountdownRequest"]
Tick: Any = _messages["Tick"]


def add_countdown(server: trunkline.Server) -> None:
    @server.method("example.Countdown/Start")
    def start(request: CountdownRequest, context: trunkline.Context) -> Iterator[Tick]:
        start = getattr(request, "from")  # a word of Python's
        for left in range(start, 0, -1):
            yield Tick(left=left)
        context.add_trailing_metadata("ticks", str(start))
