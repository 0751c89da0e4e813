# SPDX-License-Identifier: MIT
"""A client of example.Countdown: reads until the server has finished, then prints the metadata."""

from __future__ import annotations

import trunkline
from generated.countdown_pb2 import CountdownRequest
from generated.countdown_trunkline import CountdownClient


def call_countdown(channel: trunkline.Channel) -> bool:
    client = CountdownClient(channel, timeout=30.0)
    with client.start(CountdownRequest(**{"from": 1000})) as stream:
        ticks = [tick.left for tick in stream]
        stream.finish()
    said = str(stream.trailing_metadata.get("ticks"))
    print(f"countdown: {len(ticks)} ticks, trailing ticks={said}")
    return ticks == list(range(1000, 0, -1)) and said == "1000"
