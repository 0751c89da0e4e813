# SPDX-License-Identifier: MIT
"""BehaviorMarks: how a handler's function is to run, by the attributes that grpcio calls experimental."""

from __future__ import annotations

import contextvars
import functools
from collections.abc import Callable
from concurrent import futures
from typing import NamedTuple

from ._method_handler import function_of
from ._served_context import ServedContext
from ._server_interface import RpcMethodHandler

_CALLING = "calling application"


class BehaviorMarks(NamedTuple):
    """The marks of a function. A function without any has no such object."""

    #: The pool in which the function runs; None: it runs where the others do.
    pool: futures.ThreadPoolExecutor | None
    #: True if the function sends its responses by a callback, which it takes as a third argument.
    is_non_blocking: bool

    def run(self, context: ServedContext, serve: Callable[[], None]) -> None:
        """Runs ``serve``, which ends the deferred call or leaves it to the callback: in the pool, if there is one. A
        thread of the server does not wait for it."""
        if self.pool is None:
            return serve()
        try:
            future = self.pool.submit(contextvars.copy_context().run, _serve_if_active, context, serve)
        except Exception as error:  # such as that of a pool that was shut down
            context.fail_for(error, _CALLING)
            return context.end()
        if isinstance(future, futures.Future):  # a subclass of the application may return nothing
            future.add_done_callback(functools.partial(_end_if_dropped, context))


def marks_of(handler: RpcMethodHandler) -> BehaviorMarks | None:
    """Returns the marks of the handler's function; None without any."""
    function = function_of(handler)
    pool = getattr(function, "experimental_thread_pool", None)
    if not isinstance(pool, futures.ThreadPoolExecutor):
        pool = None
    is_non_blocking = bool(handler.response_streaming and getattr(function, "experimental_non_blocking", False))
    return BehaviorMarks(pool, is_non_blocking) if is_non_blocking or pool is not None else None


def _serve_if_active(context: ServedContext, serve: Callable[[], None]) -> None:
    if not context.is_active():
        return context.end()  # it has been cancelled while it waited for the pool
    try:
        serve()
    except BaseException as error:  # an Exception is a status already
        context.fail_for(error, _CALLING)
        context.end()
        raise


def _end_if_dropped(context: ServedContext, done: futures.Future[None]) -> None:
    """Ends a call that the pool has not run."""
    error = futures.CancelledError("its pool was shut down") if done.cancelled() else done.exception()
    # What the function itself has raised has ended the call already.
    if isinstance(error, (futures.CancelledError, futures.BrokenExecutor)):
        context.fail_for(error, _CALLING)
        context.end()
