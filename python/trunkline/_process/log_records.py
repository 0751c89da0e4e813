# SPDX-License-Identifier: MIT
"""Turns what the core logs into records of the loggers ``trunkline`` (channels) and ``trunkline.server`` (servers)."""

from __future__ import annotations

import logging

from .. import _core

_LEVELS = (logging.DEBUG, logging.INFO, logging.WARNING, logging.ERROR)


def connect() -> None:
    """Has channels and servers log. A record is made on the thread on which its cause was noticed, mostly the one that
    runs the loop. Handlers must not call through the channel or server, which would wait for this thread."""
    _core.set_log_function(_take)


def _take(logger: str, level: int, message: str, method: str, peer: str) -> None:
    """Logs one record. ``method`` and ``peer`` are empty if the record does not concern a call or a connection."""
    log = logging.getLogger(logger)
    number = _LEVELS[level]
    # A program that has not set up logging gets errors alone: lost connections are no news on its standard error.
    if not log.isEnabledFor(number) or not (number >= logging.ERROR or log.hasHandlers()):
        return
    subjects = (("method", method), ("peer", peer))
    about = [f"{name} {value}" for name, value in subjects if value and value not in message]
    text = f"{message} ({', '.join(about)})" if about else message
    log.log(number, "%s", text, extra={"trunkline_method": method, "trunkline_peer": peer})
