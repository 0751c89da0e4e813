# SPDX-License-Identifier: MIT
"""Compression: the compressors of gRPC."""

from __future__ import annotations

import enum
from collections.abc import Sequence


class Compression(enum.IntEnum):
    """A compressor, for a channel, a server, a call or a response."""

    NoCompression = 0
    Deflate = 1
    Gzip = 2


_names = {Compression.NoCompression: "identity", Compression.Deflate: "deflate", Compression.Gzip: "gzip"}


def compressor_of(compression: Compression | int | None, available: Sequence[str]) -> str | None:
    """Returns the name of the compressor; None leaves it to the channel or server. ``available`` are those of this
    build. A message need not be compressed, so a compressor that is not there means none."""
    if compression is None:
        return None
    name = _names[Compression(compression)]
    return name if name in available else "identity"
