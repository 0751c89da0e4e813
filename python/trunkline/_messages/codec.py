# SPDX-License-Identifier: MIT
"""Codec: a message format that the application adds."""

from __future__ import annotations

import abc
from typing import Any


class Codec(abc.ABC):
    """A message format that the application adds, for ``Channel(codecs=[...])`` and ``Server(codecs=[...])``.

    Client and server identify it by its name. It takes precedence over the built-in codecs for the types that it
    supports. Its functions are called on any thread, several at once.
    """

    #: The name on the wire: 1 to 64 characters of ``a-z0-9._-``. A built-in codec of this name is replaced.
    name: str

    @abc.abstractmethod
    def supports(self, kind: Any) -> bool:
        """Returns whether this format carries messages of the type ``kind``, a class or another type hint."""

    @abc.abstractmethod
    def encode(self, message: Any) -> bytes:
        """Returns the message as bytes or another buffer. An exception is raised by the call; on a server it is an
        error of the handler."""

    @abc.abstractmethod
    def decode(self, data: bytes, kind: Any) -> Any:
        """Returns the message of type ``kind``; ``typing.Any`` if the receiver has not named one.

        Raises ValueError for bytes that are not such a message; a server reports it to the caller as InvalidArgument.
        """
