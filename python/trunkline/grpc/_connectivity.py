# SPDX-License-Identifier: MIT
"""ChannelConnectivity: the states of a channel, as grpcio has them."""

from __future__ import annotations

import enum


class ChannelConnectivity(enum.Enum):
    """The states of a channel, each with its number and its name in lower case."""

    IDLE = (0, "idle")
    CONNECTING = (1, "connecting")
    READY = (2, "ready")
    TRANSIENT_FAILURE = (3, "transient failure")
    SHUTDOWN = (4, "shutdown")


_of_state = {
    "idle": ChannelConnectivity.IDLE,
    "connecting": ChannelConnectivity.CONNECTING,
    "ready": ChannelConnectivity.READY,
    "failing": ChannelConnectivity.TRANSIENT_FAILURE,
    "closed": ChannelConnectivity.SHUTDOWN,
}


def connectivity_of(state: str) -> ChannelConnectivity:
    """Returns the connectivity for ``state``, a state of a ``trunkline.Channel``."""
    return _of_state[state]
