# SPDX-License-Identifier: MIT
"""The client's side of example.Countdown: reads until the server has finished, then looks at what it said."""

from __future__ import annotations

from typing import Any

import trunkline
from messages import load

_messages = load("04_countdown/countdown.proto")
CountdownRequest: Any = _messages["CountdownRequest"]
Tick: Any = _messages["Tick"]


def call_countdown(channel: trunkline.Channel) -> bool:
    request = CountdownRequest(**{"from": 1000})
    with channel.server_stream("example.Countdown/Start", request, Tick, timeout=30.0) as stream:
        ticks = [tick.left for tick in stream]
        stream.finish()
    said = str(stream.trailing_metadata.get("ticks"))
    print(f"countdown: {len(ticks)} ticks, trailing ticks={said}")
    return ticks == list(range(1000, 0, -1)) and said == "1000"
