# SPDX-License-Identifier: MIT
"""What blocking and asynchronous channels share: call settings, and what a call tells beside its response."""

from __future__ import annotations

import math

from . import _core
from ._deadline import effective_timeout
from ._metadata import Metadata, MetadataLike, encode_metadata


class Reply:
    """What may be learnt of a call beside its response; given to a call as ``reply=``, and filled in at its end."""

    __slots__ = ("leading_metadata", "peer", "trailing_metadata")

    def __init__(self) -> None:
        self.leading_metadata = Metadata()
        self.trailing_metadata = Metadata()
        self.peer = ""

    def _take(self, call: _core.ClientCall) -> None:
        if not call.is_done():
            return
        self.leading_metadata = Metadata._of(call.leading())
        self.trailing_metadata = Metadata._of(call.trailing())
        self.peer = call.peer()


def settings_of(
    default_timeout: float | None,
    timeout: float | None,
    metadata: MetadataLike,
    wait_for_ready: bool,
    idempotent: bool,
    compressor: str | None,
) -> _core.CallSettings | None:
    """None if nothing is said. ``default_timeout``: of the channel."""
    timeout = effective_timeout(timeout, default_timeout)
    if timeout is None and not metadata and not wait_for_ready and not idempotent and not compressor:
        return None
    return _core.CallSettings(
        timeout, encode_metadata(metadata), bool(wait_for_ready), bool(idempotent), compressor or ""
    )


def codec_and_settings(
    default_timeout: float | None,
    *,
    codec: str | None = None,
    timeout: float | None = None,
    metadata: MetadataLike = None,
    wait_for_ready: bool = False,
    idempotent: bool = False,
    compressor: str | None = None,
) -> tuple[str | None, _core.CallSettings | None]:
    """Of a call's options."""
    return codec, settings_of(default_timeout, timeout, metadata, wait_for_ready, idempotent, compressor)


def checked_reply(reply: Reply) -> Reply:
    if not isinstance(reply, Reply):
        raise TypeError(f"reply: it is a trunkline.Reply, not {type(reply).__name__}")
    return reply


def checked_window(window: int) -> int:
    if window < 1:
        raise ValueError(f"window: {window} is less than 1")
    return window


def checked_timeout(timeout: float) -> float:
    if isinstance(timeout, bool):
        raise TypeError(f"timeout is {timeout} (bool), not a number")
    if not math.isfinite(timeout) or timeout < 0:
        raise ValueError(f"timeout: {timeout} is not a finite number of seconds, 0 or more")
    return timeout
