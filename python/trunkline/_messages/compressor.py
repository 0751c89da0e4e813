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

    def compress_unsized(self, data: bytes) -> bytes:
        """Compresses for protocols that do not transmit the size of a message, such as gRPC; for some formats their
        data has another form. By default it calls ``compress``."""
        return self.compress(data)

    def decompress_unsized(self, data: bytes, limit: int) -> bytes:
        """Returns what ``data``, from ``compress_unsized``, decompresses to. It should stop once that has more than
        ``limit`` bytes; the call then ends with ResourceExhausted. Errors are those of ``decompress``.

        A compressor that does not define it is not offered over gRPC.
        """
        raise NotImplementedError(f"{type(self).__name__} needs the size of the message")


def built_in_compressors() -> list[str]:
    """Return the names of the compressors that this build of Trunkline includes, e.g. ``["snappy", "zstd"]``."""
    return _core.built_in_compressors()


#: The functions of a compressor: (name, compress, decompress, compress_unsized, decompress_unsized).
Functions = tuple[
    str, Callable[..., Any], Callable[..., Any], Callable[..., Any] | None, Callable[..., Any] | None
]


def functions_of(compressors: Iterable[Compressor]) -> list[Functions]:
    """Returns the compressors as the core takes them; the last two functions are None without an unsized form."""
    return [_functions_of(each) for each in compressors]


def _functions_of(compressor: Compressor) -> Functions:
    compress = functools.partial(_compress, compressor, "compress")
    decompress = functools.partial(_decompress, compressor, "decompress")
    if type(compressor).decompress_unsized is Compressor.decompress_unsized:
        return compressor.name, compress, decompress, None, None
    compress_unsized = functools.partial(_compress, compressor, "compress_unsized")
    decompress_unsized = functools.partial(_decompress, compressor, "decompress_unsized")
    return compressor.name, compress, decompress, compress_unsized, decompress_unsized


def _compress(compressor: Compressor, function: str, data: bytes) -> Any:
    try:
        return getattr(compressor, function)(data)
    except BaseException as error:
        _log.exception("%s: %s raised %s", function, compressor.name, type(error).__name__)
        raise


def _decompress(compressor: Compressor, function: str, data: bytes, size: int) -> Any:
    try:
        return getattr(compressor, function)(data, size)
    except ValueError:
        raise
    except BaseException as error:
        _log.exception("%s: %s raised %s", function, compressor.name, type(error).__name__)
        raise
