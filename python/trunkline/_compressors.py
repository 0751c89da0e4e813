# SPDX-License-Identifier: MIT
"""Compressor: a way of the application's to shrink messages."""

from __future__ import annotations

import abc
import functools
import logging
from collections.abc import Callable, Iterable
from typing import Any

_log = logging.getLogger("trunkline")


class Compressor(abc.ABC):
    """Shrinks messages, for ``Channel(compressors=[...])`` and ``Server(compressors=[...])``, beside the built-in ones.

    Both sides know it by its name; it is used where ``compressor=`` or ``Context.set_compressor`` names it, the message
    has ``compression_threshold`` bytes or more, and it becomes smaller. Its functions are called from any thread,
    several at once, with the GIL held for as long as they take.
    """

    #: On the wire: 1 to 64 of ``a-z0-9._-``. The name of a built-in compressor replaces that one.
    name: str

    @abc.abstractmethod
    def compress(self, data: bytes) -> bytes:
        """The compressed bytes. What it raises goes to the logger ``trunkline``, and the message is sent as it is."""

    @abc.abstractmethod
    def decompress(self, data: bytes, size: int) -> bytes:
        """Exactly ``size`` bytes, which is within ``max_message_bytes``; it should not make more even if ``data`` would.

        Raises ValueError for what is corrupt: the call ends with Internal, as it does if the size is another. What else
        it raises goes to the logger as well.
        """


def functions_of(compressors: Iterable[Compressor]) -> list[tuple[str, Callable[..., Any], Callable[..., Any]]]:
    """As the core takes them: name, compress, decompress."""
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
