# SPDX-License-Identifier: MIT
"""intercept_channel: a channel whose calls pass through client interceptors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

from ._call import Call, ClientCallDetails
from ._channel_interface import Channel
from ._client_interceptors import (
    StreamStreamClientInterceptor,
    StreamUnaryClientInterceptor,
    UnaryStreamClientInterceptor,
    UnaryUnaryClientInterceptor,
)
from ._connectivity import ChannelConnectivity
from ._errors import RpcError
from ._intercepted_call import RaisedCall, RespondedCall
from ._multi_callables import (
    StreamStreamMultiCallable,
    StreamUnaryMultiCallable,
    UnaryStreamMultiCallable,
    UnaryUnaryMultiCallable,
)

M = TypeVar("M")

#: Returns the method of a name, which an interceptor may have changed.
MethodOf = Callable[[str], Any]


class CallDetails(NamedTuple):
    """The properties of a call that an interceptor sees."""

    method: str
    timeout: float | None = None
    metadata: Any = None
    credentials: Any = None
    wait_for_ready: bool | None = None
    compression: Any = None

    def __repr__(self) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in self._fields)
        return f"_ClientCallDetails({fields})"  # the name of grpcio's class

    def with_changes(self, changed: Any) -> CallDetails:
        """Returns these details, with the attributes that ``changed``, of the application, has."""
        return CallDetails(*(getattr(changed, name, getattr(self, name)) for name in self._fields))

    def options(self) -> dict[str, Any]:
        """Returns the keyword arguments of the call."""
        return {name: getattr(self, name) for name in self._fields[1:]}


ClientCallDetails.register(CallDetails)


class _InterceptedMethod:
    """A method whose calls pass through one interceptor. The arguments after the request of a call are the fields of
    CallDetails, by position or by name."""

    def __init__(self, method: str, intercept: Callable[..., Any], method_of: MethodOf) -> None:
        self._method = method
        self._intercept = intercept
        self._method_of = method_of

    def _through(
        self,
        send: Callable[[Any, Any, dict[str, Any]], Any],
        request: Any,
        options: tuple[Any, ...],
        named: dict[str, Any],
    ) -> Any:
        """Returns the interceptor's result. ``send(method, request, options)`` makes the call."""
        details = CallDetails(self._method, *options, **named)

        def continuation(changed: Any, request: Any) -> Any:
            final = details.with_changes(changed)
            try:
                return send(self._method_of(final.method), request, final.options())
            except RpcError as error:
                return error
            except Exception as error:
                return RaisedCall(error)

        try:
            return self._intercept(continuation, details, request)
        except Exception as error:
            return RaisedCall(error)


def _send_and_wait(method: Any, request: Any, options: dict[str, Any]) -> RespondedCall:
    return RespondedCall(*method.with_call(request, **options))


def _send_in_background(method: Any, request: Any, options: dict[str, Any]) -> Any:
    return method.future(request, **options)


def _send_stream(method: Any, request: Any, options: dict[str, Any]) -> Any:
    return method(request, **options)


def _with_its_call(call: Any) -> tuple[Any, Any]:
    """Returns the response of a call, and the call."""
    response = call.result()
    return response, call if isinstance(call, Call) else RespondedCall(response, None)


class _UnaryUnary(_InterceptedMethod, UnaryUnaryMultiCallable):
    def __call__(self, request: Any, *options: Any, **named: Any) -> Any:
        return self._through(_send_and_wait, request, options, named).result()

    def with_call(self, request: Any, *options: Any, **named: Any) -> tuple[Any, Any]:
        return _with_its_call(self._through(_send_and_wait, request, options, named))

    def future(self, request: Any, *options: Any, **named: Any) -> Any:
        return self._through(_send_in_background, request, options, named)


class _UnaryStream(_InterceptedMethod, UnaryStreamMultiCallable):
    def __call__(self, request: Any, *options: Any, **named: Any) -> Any:
        return self._through(_send_stream, request, options, named)


class _StreamUnary(_InterceptedMethod, StreamUnaryMultiCallable):
    def __call__(self, request_iterator: Any, *options: Any, **named: Any) -> Any:
        return self._through(_send_and_wait, request_iterator, options, named).result()

    def with_call(self, request_iterator: Any, *options: Any, **named: Any) -> tuple[Any, Any]:
        return _with_its_call(self._through(_send_and_wait, request_iterator, options, named))

    def future(self, request_iterator: Any, *options: Any, **named: Any) -> Any:
        return self._through(_send_in_background, request_iterator, options, named)


class _StreamStream(_InterceptedMethod, StreamStreamMultiCallable):
    def __call__(self, request_iterator: Any, *options: Any, **named: Any) -> Any:
        return self._through(_send_stream, request_iterator, options, named)


class InterceptedChannel(Channel):
    """A channel whose calls pass through one interceptor."""

    def __init__(self, channel: Channel, interceptor: Any) -> None:
        self._channel = channel
        self._interceptor = interceptor

    def subscribe(
        self, callback: Callable[[ChannelConnectivity], None], try_to_connect: bool | None = False
    ) -> None:
        self._channel.subscribe(callback, try_to_connect)

    def unsubscribe(self, callback: Callable[[ChannelConnectivity], None]) -> None:
        self._channel.unsubscribe(callback)

    def _method(
        self, kind: str, intercepted: Callable[..., M], interceptor: type[Any], name: str, codec: tuple[Any, ...]
    ) -> M:
        """Returns the method of the channel below, as ``intercepted`` if this interceptor is for its kind."""

        def method_of(name: str) -> M:
            method: M = getattr(self._channel, kind)(name, *codec)
            return method

        if not isinstance(self._interceptor, interceptor):
            return method_of(name)
        return intercepted(name, getattr(self._interceptor, f"intercept_{kind}"), method_of)

    def unary_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryUnaryMultiCallable:
        codec = (request_serializer, response_deserializer, _registered_method)
        return self._method("unary_unary", _UnaryUnary, UnaryUnaryClientInterceptor, method, codec)

    def unary_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryStreamMultiCallable:
        codec = (request_serializer, response_deserializer, _registered_method)
        return self._method("unary_stream", _UnaryStream, UnaryStreamClientInterceptor, method, codec)

    def stream_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> StreamUnaryMultiCallable:
        codec = (request_serializer, response_deserializer, _registered_method)
        return self._method("stream_unary", _StreamUnary, StreamUnaryClientInterceptor, method, codec)

    def stream_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> StreamStreamMultiCallable:
        codec = (request_serializer, response_deserializer, _registered_method)
        return self._method("stream_stream", _StreamStream, StreamStreamClientInterceptor, method, codec)

    def close(self) -> None:
        self._channel.close()


_KINDS = (
    UnaryUnaryClientInterceptor,
    UnaryStreamClientInterceptor,
    StreamUnaryClientInterceptor,
    StreamStreamClientInterceptor,
)


def intercept_channel(channel: Channel, *interceptors: Any) -> Channel:
    """Returns a channel whose calls pass through the interceptors, the first one outermost. Raises TypeError for what
    is no client interceptor."""
    for interceptor in reversed(interceptors):
        if not isinstance(interceptor, _KINDS):
            raise TypeError(
                "interceptor must be "
                "grpc.UnaryUnaryClientInterceptor or "
                "grpc.UnaryStreamClientInterceptor or "
                "grpc.StreamUnaryClientInterceptor or "
                "grpc.StreamStreamClientInterceptor or "
            )
        channel = InterceptedChannel(channel, interceptor)
    return channel
