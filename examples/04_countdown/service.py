# SPDX-License-Identifier: MIT
"""The service example.Countdown: a generator, which waits while the client does not read."""

from __future__ import annotations

from collections.abc import Iterator

import trunkline
from generated.countdown_pb2 import CountdownRequest, Tick
from generated.countdown_trunkline import CountdownService


class Clock(CountdownService):
    def start(self, request: CountdownRequest, context: trunkline.Context) -> Iterator[Tick]:
        start = getattr(request, "from")  # a keyword of Python
        for left in range(start, 0, -1):
            yield Tick(left=left)
        context.add_trailing_metadata("ticks", str(start))


def add_countdown(server: trunkline.Server) -> None:
    server.add_service(Clock())
