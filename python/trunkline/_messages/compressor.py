# SPDX-License-Identifier: MIT
"""Compressor: a compression format that the application adds."""

from __future__ import annotations

import abc
import functools
import logging
from collections.abc import Callable, Iterable
from typing import Any

from .. import _core

_log = logging.getLogger("trunkline")


class Compressor(abc.ABC):
    """A compression format that the application adds, for ``Channel(compressors=[...])`` and
    ``Server(compressors=[...])``.

    Client and server identify it by its name. It is used for messages where ``compressor=`` or
    ``Context.set_compressor`` names it, if they have at least ``compression_threshold`` bytes and become smaller. Its
    functions are called on any thread, several at once, with the GIL held.
    """

    #: The name on the wire: 1 to 64 characters of ``a-z0-9._-``. A built-in compressor of this name is replaced.
    name: str

    @abc.abstractmethod
    def compress(self, data: bytes) -> bytes:
        """Returns the compressed bytes. An exception goes to the logger ``trunkline``; the message is then sent
        uncompressed."""

    @abc.abstractmethod
    def decompress(self, data: bytes, size: int) -> bytes:
        """Returns exactly ``size`` bytes, at most ``max_message_bytes``. It should not produce more, whatever ``data``
        holds.

        Raises ValueError for corrupt data. Then, or if the size differs, the call ends with Internal. Other exceptions
        go to the logger too.
        """


def built_in_compressors() -> list[str]:
    """Return the names of the compressors that this build of Trunkline includes, e.g. ``["snappy", "zstd"]``."""
    return _core.built_in_compressors()


def functions_of(compressors: Iterable[Compressor]) -> list[tuple[str, Callable[..., Any], Callable[..., Any]]]:
    """The compressors as the core takes them: (name, compress, decompress)."""
    return [
        (each.name, functools.partial(_compress, each), functools.partial(_decompress, each)) for each in compressors
    ]


def _compress(compressor: Compressor, data: bytes) -> bytes:
    try:
        return compressor.compress(data)
    except BaseException as error:
        _log.exception("compress: %s raised %s", compressor.name, type(error).__name__)
        raise


def _decompress(compressor: Compressor, data: bytes, size: int) -> bytes:
    try:
        return compressor.decompress(data, size)
    except ValueError:
        raise
    except BaseException as error:
        _log.exception("decompress: %s raised %s", compressor.name, type(error).__name__)
        raise
