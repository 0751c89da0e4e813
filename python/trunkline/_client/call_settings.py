# SPDX-License-Identifier: MIT
"""Call settings: the options of a call as the core takes them."""

from __future__ import annotations

from .. import _core
from .._calls.deadline import effective_timeout
from .._metadata import MetadataLike, encode_metadata


def settings_of(
    default_timeout: float | None,
    timeout: float | None,
    metadata: MetadataLike,
    wait_for_ready: bool,
    idempotent: bool,
    compressor: str | None,
    routing_key: str | None,
) -> _core.CallSettings | None:
    """Returns None if every option has its default. ``default_timeout`` is the channel's, in seconds."""
    timeout = effective_timeout(timeout, default_timeout)
    if timeout is None and not (metadata or wait_for_ready or idempotent or compressor or routing_key):
        return None
    return _core.CallSettings(
        timeout,
        encode_metadata(metadata),
        bool(wait_for_ready),
        bool(idempotent),
        compressor or "",
        routing_key or "",
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
    routing_key: str | None = None,
) -> tuple[str | None, _core.CallSettings | None]:
    """Splits the options of a call into its codec and its settings. Raises TypeError for an unknown option."""
    settings = settings_of(default_timeout, timeout, metadata, wait_for_ready, idempotent, compressor, routing_key)
    return codec, settings


def checked_window(window: int) -> int:
    """Raises ValueError unless ``window``, a number of concurrent calls, is at least 1."""
    if window < 1:
        raise ValueError(f"window: {window} is less than 1")
    return window
