# SPDX-License-Identifier: MIT
"""Metadatum: a name and a value of a call's metadata; conversions between them and what the core takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Union

from .._metadata import encode_metadata


class Metadatum(NamedTuple):
    """A name and its value, which is bytes if the name ends in ``-bin``."""

    key: str
    value: Union[str, bytes]

    def __repr__(self) -> str:
        return f"_Metadatum(key={self.key!r}, value={self.value!r})"  # the name of grpcio's class


Metadata = tuple[Metadatum, ...]


def presented(pairs: Iterable[tuple[str, bytes]]) -> Metadata:
    """Returns metadata that the core has received as the application gets it."""
    return tuple(
        Metadatum(name, value if name.endswith("-bin") else value.decode("utf-8", "surrogateescape"))
        for name, value in pairs
    )


def encoded(metadata: Any) -> Sequence[tuple[str, bytes]]:
    """Returns metadata of the application as the core takes it. Raises ValueError for what is not metadata."""
    if not metadata:
        return ()
    try:
        return encode_metadata([(name, value) for name, value in metadata]) or ()
    except (TypeError, ValueError, AttributeError) as error:
        raise ValueError(f"metadata was invalid: {error}") from error
