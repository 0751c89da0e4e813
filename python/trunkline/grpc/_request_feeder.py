# SPDX-License-Identifier: MIT
"""feed: sends the requests of an iterator to a stream, on a thread of its own."""

from __future__ import annotations

import contextvars
import logging
import threading
from collections.abc import Callable, Iterable
from typing import Any

from .. import _core
from .._calls.requests import close_requests
from .._errors import RpcError as CoreError
from .._process.green_threads import check_real_threads
from ._ended_call import FailedCall
from ._outcome import Outcome
from ._status_code import StatusCode

_log = logging.getLogger(__name__)


def feed(
    stream: _core.ClientStream,
    requests: Iterable[Any],
    serialized: Callable[[Any], bytes],
    fail: Callable[[Outcome], None],
) -> None:
    """Starts the thread, which ends after the last request, or once the call has ended, and closes a generator then.
    ``serialized`` returns the bytes of a request. If it or the iterator raises, the thread calls ``fail``, which ends
    the call; what closing the generator raises is logged."""
    check_real_threads("a call with a stream of requests")
    run = contextvars.copy_context().run
    arguments = (_feed, stream, requests, serialized, fail)
    threading.Thread(target=run, args=arguments, name="trunkline-requests", daemon=True).start()


def _feed(
    stream: _core.ClientStream,
    requests: Iterable[Any],
    serialized: Callable[[Any], bytes],
    fail: Callable[[Outcome], None],
) -> None:
    iterator: Any = None
    try:
        iterator = iter(requests)
        for request in iterator:
            if not _write(stream, serialized(request)):
                return
    except FailedCall as error:
        return fail(error._outcome)
    except Exception as error:
        if _core.is_left_behind():
            return None  # the exit of the interpreter ends the call
        _log.exception("Exception iterating requests!")
        return fail(
            Outcome(StatusCode.UNKNOWN, "Exception iterating requests!", debug_error_string=repr(error))
        )
    finally:
        close_requests(iterator)
    try:
        stream.begin_close_writes(None, None).wait()
    except CoreError:
        pass  # a read reports how the call has ended


def _write(stream: _core.ClientStream, data: bytes) -> bool:
    """Writes a request. Returns False once the call has ended; a read reports how."""
    try:
        stream.begin_write(data, False, None, None).wait()
    except CoreError:
        return False
    return True
