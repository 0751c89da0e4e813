# SPDX-License-Identifier: MIT
"""MethodServer: runs blocking handlers for the calls of one method."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from .. import _core
from ._behavior_marks import BehaviorMarks, marks_of
from ._call_end_watch import CallEndWatch
from ._call_request import over_limit
from ._method_handler import CallDetails, behavior_of
from ._method_table import MethodTable
from ._metadatum import received_of
from ._response_callback import ResponseCallback
from ._served_context import ServedContext
from ._server_interface import RpcMethodHandler
from ._status_code import StatusCode

_log = logging.getLogger(__name__)


class UndecodableRequestError(Exception):
    """A request that its deserializer has refused."""


class RequestIterator:
    """The requests of a stream, for its handler."""

    def __init__(self, context: ServedContext, deserialize: Callable[[bytes], Any] | None) -> None:
        self._context = context
        self._deserialize = deserialize

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        data = self._context.read()
        if data is None:
            raise StopIteration
        return decoded(data, self._deserialize)

    def next(self) -> Any:
        """Returns the next request."""
        return self.__next__()


def decoded(data: Any, deserialize: Callable[[bytes], Any] | None) -> Any:
    """Returns the request. Raises UndecodableRequestError."""
    if type(data) is not bytes:
        data = bytes(data)
    if deserialize is None:
        return data
    try:
        return deserialize(data)
    except Exception as error:
        _log.exception("Exception deserializing request!")
        raise UndecodableRequestError from error


def _only_argument(handler: RpcMethodHandler, data: Any) -> Any:
    """Returns what the function of a handler takes for the only request. Raises UndecodableRequestError."""
    request = decoded(data, handler.request_deserializer)
    return iter((request,)) if handler.request_streaming else request


#: Sends the status of a call that has one, although its handler still runs.
EndEarly = Callable[[_core.ServedCall], None]


class CallRoutes(NamedTuple):
    """The parts of a server that the calls of all its methods share."""

    table: MethodTable
    interceptors: Sequence[Any]
    watch: CallEndWatch
    #: The bytes of the longest response; None for any number.
    send_limit: int | None


class MethodServer:
    """Runs the handler of one method, through the server's interceptors, for each of its calls. Or it runs those of the
    methods that are not registered with the core, which it finds in the table of the server. Its entry takes an
    EndEarly before the arguments of the core, and needs a context of its own for each call."""

    def __init__(self, name: str | None, handler: RpcMethodHandler | None, routes: CallRoutes) -> None:
        """``name`` is as ``/package.Service/Method``. Without name and handler it serves unregistered methods."""
        self._name = name
        self._routes = routes
        self._handler = handler
        self._marks = None if handler is None else marks_of(handler)
        is_unary = handler is not None and not (handler.request_streaming or handler.response_streaming)
        self.entry: Callable[..., Any] = self.serve_unary if is_unary else self.serve_stream

    def _handler_of(self, call: _core.ServedCall) -> RpcMethodHandler | None:
        """Returns the handler that the interceptors leave. Raises what they raise, or a generic handler."""
        table, interceptors = self._routes.table, self._routes.interceptors
        if self._handler is not None and not interceptors:
            return self._handler

        def through(remaining: Sequence[Any], details: Any) -> RpcMethodHandler | None:
            if not remaining:
                return self._handler if details.method == self._name else table.find(details)
            first, rest = remaining[0], remaining[1:]
            result: RpcMethodHandler | None = first.intercept_service(lambda changed: through(rest, changed), details)
            return result

        return through(interceptors, CallDetails(self._name or f"/{call.method()}", received_of(call)))

    def _prepared(self, call: _core.ServedCall, context: ServedContext) -> RpcMethodHandler | None:
        try:
            handler = self._handler_of(call)
        except Exception as error:
            _log.error("Exception servicing handler: %s", error, exc_info=error)
            context.fail(StatusCode.UNKNOWN, "Error in service handler!")
            return None
        if handler is None:
            context.fail(StatusCode.UNIMPLEMENTED, "Method not found!")
        return handler

    def serve_unary(self, end_early: EndEarly, data: Any, codec: str, call: _core.ServedCall) -> bytes:
        """Serves a call whose request is ``data``. Returns the bytes of the response, unless it has set a status."""
        context = ServedContext(call, self._routes.watch, end_early)
        handler = self._prepared(call, context)
        response = b""
        if handler is not None:
            marks = self._marks if handler is self._handler else marks_of(handler)
            if marks is not None:
                argument = functools.partial(_only_argument, handler, data)
                run = functools.partial(self._run_unary, handler, data, context)
                self._defer(marks, handler, context, argument, run, True)
                return b""
            response = self._run_unary(handler, data, context)
        return response if context.finish() else b""

    def _run_unary(self, handler: RpcMethodHandler, data: Any, context: ServedContext) -> bytes:
        try:
            argument = _only_argument(handler, data)
        except UndecodableRequestError:
            context.fail(StatusCode.INTERNAL, "Exception deserializing request!")
            return b""
        return self._one_response(handler, argument, context)

    def serve_stream(self, end_early: EndEarly, call: _core.ServedCall) -> None:
        """Serves a call with a stream of requests or responses."""
        context = ServedContext(call, self._routes.watch, end_early)
        handler = self._prepared(call, context)
        if handler is not None:
            marks = self._marks if handler is self._handler else marks_of(handler)
            if marks is not None:
                argument = functools.partial(self._argument, handler, context)
                run = functools.partial(self._run_stream, handler, context)
                return self._defer(marks, handler, context, argument, run, False)
            self._run_stream(handler, context)
        context.finish()

    def _defer(
        self,
        marks: BehaviorMarks,
        handler: RpcMethodHandler,
        context: ServedContext,
        argument: Callable[[], Any],
        run: Callable[[], bytes | None],
        is_unary: bool,
    ) -> None:
        """Serves the call by a handler whose function is marked, and which may go on when this has returned: ``run`` is
        how a function without a callback serves it."""
        context.defer(ends_with_client=marks.is_non_blocking)
        if marks.is_non_blocking:
            marks.run(context, lambda: self._begin_responses(handler, context, argument, is_unary))
        else:
            marks.run(context, lambda: context.end(run()))

    def _begin_responses(
        self, handler: RpcMethodHandler, context: ServedContext, argument: Callable[[], Any], is_unary: bool
    ) -> None:
        """Runs a function that sends its responses by a callback, also when it has returned."""
        respond = ResponseCallback(context, lambda response: self._serialized(handler, response, context), is_unary)
        try:
            behavior_of(handler)(argument(), context, respond)
        except UndecodableRequestError:
            context.fail(StatusCode.INTERNAL, "Exception deserializing request!")
        except BaseException as error:
            context.fail_for(error, "calling application")
        else:
            if context.is_active():
                return
        context.end()

    def _run_stream(self, handler: RpcMethodHandler, context: ServedContext) -> None:
        try:
            argument = self._argument(handler, context)
        except UndecodableRequestError:
            return context.fail(StatusCode.INTERNAL, "Exception deserializing request!")
        except Exception as error:
            return context.fail_for(error, "receiving request")
        if handler.response_streaming:
            return self._many_responses(handler, argument, context)
        response = self._one_response(handler, argument, context)
        if context.code() in (None, StatusCode.OK):
            context.write(response)

    def _argument(self, handler: RpcMethodHandler, context: ServedContext) -> Any:
        if handler.request_streaming:
            return RequestIterator(context, handler.request_deserializer)
        data = context.read()
        return decoded(b"" if data is None else data, handler.request_deserializer)

    def _one_response(self, handler: RpcMethodHandler, argument: Any, context: ServedContext) -> bytes:
        """Returns the bytes of the response; empty if a status is set."""
        try:
            response = behavior_of(handler)(argument, context)
            if handler.response_streaming:
                response = next(iter(response))
        except UndecodableRequestError:
            context.fail(StatusCode.INTERNAL, "Exception deserializing request!")
        except Exception as error:
            context.fail_for(error, "calling application")
        else:
            return self._serialized(handler, response, context) or b""
        return b""

    def _serialized(self, handler: RpcMethodHandler, response: Any, context: ServedContext) -> bytes | None:
        """Returns the bytes of a response; None if the serializer refuses it, and a status is then set."""
        serialize = handler.response_serializer
        try:
            data = response if serialize is None else serialize(response)
            if not isinstance(data, (bytes, bytearray, memoryview)):
                raise TypeError(f"a response is {type(data).__name__}, not bytes")
        except Exception:
            if context.code() in (None, StatusCode.OK):
                _log.exception("Exception serializing message!")
                context.fail(StatusCode.INTERNAL, "Failed to serialize response!")
            return None
        limit = self._routes.send_limit
        if limit is not None and len(data) > limit:
            context.fail(StatusCode.RESOURCE_EXHAUSTED, f"SERVER: {over_limit(len(data), limit)}")
            return None
        return data if type(data) is bytes else bytes(data)

    def _many_responses(self, handler: RpcMethodHandler, argument: Any, context: ServedContext) -> None:
        try:
            responses = iter(behavior_of(handler)(argument, context))
        except UndecodableRequestError:
            return context.fail(StatusCode.INTERNAL, "Exception deserializing request!")
        except Exception as error:
            return context.fail_for(error, "calling application")
        try:
            for response in responses:
                data = self._serialized(handler, response, context)
                if data is None or not context.write(data):
                    return
        except UndecodableRequestError:
            context.fail(StatusCode.INTERNAL, "Exception deserializing request!")
        except Exception as error:
            context.fail_for(error, "iterating responses")
        finally:
            close = getattr(responses, "close", None)
            if close is not None:
                close()
