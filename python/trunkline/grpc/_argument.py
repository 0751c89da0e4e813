# SPDX-License-Identifier: MIT
"""Argument: one option of a channel or server, ``("grpc.name", value)``, which gRPC calls a channel argument."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

#: The logger that the guide names.
_log = logging.getLogger("trunkline.grpc._channel_options")

#: The greatest number of an argument, which stands for "never" in times.
LONGEST = 2**31 - 1
_A_YEAR = 365 * 86400.0


class WrongTypeError(Exception):
    """The value of an argument is not of the argument's type."""


class _Warnings:
    """Logs each warning once in a process."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._told: set[tuple[str, ...]] = set()

    def tell(self, text: str, *names: str) -> None:
        with self._lock:
            is_new = (text, *names) not in self._told
            self._told.add((text, *names))
        if is_new:
            _log.warning(text, *names)


_warnings = _Warnings()


class Argument(NamedTuple):
    """The name and the value of an argument."""

    name: str
    value: Any

    def number(self) -> int:
        """Returns the value of a number. Raises WrongTypeError."""
        if not isinstance(self.value, int):
            raise WrongTypeError
        return int(self.value)

    def text(self) -> str:
        """Returns the value of a text. Raises WrongTypeError."""
        if not isinstance(self.value, (str, bytes)):
            raise WrongTypeError
        return as_text(self.value)

    def bounded(self, least: int, most: int, value: int | None = None) -> int:
        """Returns the number, or ``value``, within bounds. Warns if it is beyond them."""
        found = self.number() if value is None else value
        used = min(max(found, least), most)
        if used != found:
            _warnings.tell("the option %r of grpcio is %s on Trunkline, where it is limited", self.name, str(used))
        return used

    def seconds(self, least: float = 0.001) -> float:
        """Returns milliseconds as seconds, at least ``least``."""
        return min(max(self.number() / 1000, least), _A_YEAR)

    def interval(self, least: float = 0.001) -> float:
        """Returns milliseconds as ``seconds`` does; 0, for never, for the greatest number, by which grpcio says so."""
        return 0.0 if self.number() >= LONGEST else self.seconds(least)

    def tell_without_effect(self) -> None:
        """Warns that it has no effect here."""
        _warnings.tell("the option %r of grpcio has no effect on Trunkline", self.name)

    def tell_wrong_type(self) -> None:
        """Warns that its value is ignored, as grpcio does."""
        kind = type(self.value).__name__
        _warnings.tell("the option %r of grpcio is ignored, as its value is of the type %s", self.name, kind)


def as_text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else str(value)


def arguments_of(options: Iterable[Any] | None) -> dict[str, Argument]:
    """Returns the arguments by their names; the last one of a name counts. Raises what grpcio raises: ValueError for
    what is no pair, TypeError for a value that is neither text nor number, OverflowError for a long number."""
    found: dict[str, Argument] = {}
    for name, value in options or ():
        if isinstance(value, int):
            if not -LONGEST - 1 <= value <= LONGEST:
                raise OverflowError(f"the value {value} of the option {as_text(name)!r} is too large for 32 bits")
        elif not isinstance(value, (str, bytes)) and not hasattr(value, "__int__"):
            raise TypeError(f"Expected int, bytes, or behavior, got {type(value)}")
        found[as_text(name)] = Argument(as_text(name), value)
    return found


def text_argument(options: Iterable[Any] | None, name: str) -> str | None:
    """Returns the text of an argument; None if it is not given, or no text."""
    argument = arguments_of(options).get(name)
    return as_text(argument.value) if argument is not None and isinstance(argument.value, (str, bytes)) else None


class ArgumentNames:
    """The names of arguments that grpcio's ``cygrpc.ChannelArgKey`` has."""

    default_authority = b"grpc.default_authority"
    enable_census = b"grpc.census"
    http2_initial_sequence_number = b"grpc.http2.initial_sequence_number"
    max_concurrent_streams = b"grpc.max_concurrent_streams"
    max_receive_message_length = b"grpc.max_receive_message_length"
    max_send_message_length = b"grpc.max_send_message_length"
    primary_user_agent_string = b"grpc.primary_user_agent"
    secondary_user_agent_string = b"grpc.secondary_user_agent"
    ssl_session_cache = b"grpc.ssl_session_cache"
    ssl_target_name_override = b"grpc.ssl_target_name_override"
