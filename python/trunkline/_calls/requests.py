# SPDX-License-Identifier: MIT
"""close_requests: the end of a call's requests."""

from __future__ import annotations

import logging
from collections.abc import Generator
from typing import Any

from .. import _core

_log = logging.getLogger("trunkline")


def close_requests(iterator: Any) -> None:
    """Closes the iterator over the requests of a call that needs no more of them, if it is a generator: its ``finally``
    blocks run at once, and not when the collector finds it. Call it on the thread that iterates.

    What they raise is logged: by then the call has an outcome, or the caller gets another error.
    """
    if not isinstance(iterator, Generator):
        return
    try:
        iterator.close()
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        log_closing(error)


def log_closing(error: BaseException) -> None:
    """Logs what closing a generator of requests has raised, unless the exit of the interpreter leaves the thread behind."""
    if not _core.is_left_behind():
        _log.error("closing the requests of a call: %s", type(error).__name__, exc_info=error)
