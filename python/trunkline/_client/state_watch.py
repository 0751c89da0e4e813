# SPDX-License-Identifier: MIT
"""StateWatch: a callback for the states of a channel."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

#: The states of a channel, as ``Channel.state`` describes them.
ChannelState = Literal["idle", "connecting", "ready", "failing", "closed"]


class StateWatch:
    """The tag of state changes in an inbox. It can be called off."""

    def __init__(self, callback: Callable[[ChannelState], object]) -> None:
        if not callable(callback):
            raise TypeError(f"on_state_change: {type(callback).__name__} is not callable")
        self._callback: Callable[[ChannelState], object] | None = callback

    def call_off(self) -> None:
        """Ends the reports, also of a change that is on its way. A callback that runs goes on."""
        self._callback = None

    def report(self, state: ChannelState) -> None:
        callback = self._callback
        if callback is not None:
            callback(state)
