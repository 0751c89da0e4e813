# SPDX-License-Identifier: MIT
"""The methods of a channel, one class for each kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from .. import _core
from .._errors import FailedPrecondition
from .._errors import RpcError as CoreError
from .._sync.channel import Channel as TrunklineChannel
from .._sync.futures import Dispatcher
from ._call_driver import CallDriver
from ._call_request import CODEC, CallRequest, ChannelTerms, checked, deserialized, plain_settings, serialized
from ._ended_call import EndedCall, FailedCall, FailedStream
from ._multi_callables import (
    StreamStreamMultiCallable,
    StreamUnaryMultiCallable,
    UnaryStreamMultiCallable,
    UnaryUnaryMultiCallable,
)
from ._outcome import failed_outcome, ok_outcome
from ._service_config import ServiceConfig
from ._stream_call import StreamCall
from ._unary_future import UnaryFuture

Serialize = Callable[[Any], bytes]
Deserialize = Callable[[bytes], Any]


class _Method:
    """The base of methods of every kind. The arguments after the request of a call are the fields of CallRequest, by
    position or by name."""

    def __init__(
        self,
        channel: TrunklineChannel,
        terms: ChannelTerms,
        config: ServiceConfig,
        driver: CallDriver,
        method: str,
        serialize: Serialize | None,
        deserialize: Deserialize | None,
    ) -> None:
        self._channel = channel
        self._core = channel._core
        self._terms = terms
        self._has_terms = terms.credentials is not None
        self._send_limit = terms.send_limit
        self._name = method.removeprefix("/")
        self._driver = driver
        self._config = config.for_method(self._name)
        self._serialize = serialize
        self._deserialize = deserialize

    def _serialized(self, request: Any) -> bytes:
        return checked(serialized(request, self._serialize), self._send_limit)

    def _configured(self, request: CallRequest) -> CallRequest:
        return request if self._config is None else self._config.applied_to(request)

    def _settings(self, request: CallRequest) -> _core.CallSettings:
        if request == _PLAIN and not self._has_terms:
            return plain_settings()
        return request.settings(self._name, self._terms)

    def _dispatcher(self) -> Dispatcher:
        return self._channel._dispatcher or self._channel._start_dispatcher()

    def _failed(self, error: CoreError) -> Exception:
        """Returns the exception that a call raises for an error of the core."""
        if isinstance(error, FailedPrecondition) and self._channel.state == "closed":
            return ValueError("Cannot invoke RPC on closed channel!")
        return FailedCall(failed_outcome(error))

    def _check_open(self) -> None:
        if self._channel.state == "closed":
            _core.end_if_left_behind()
            raise ValueError("Cannot invoke RPC on closed channel!")

    def _open(self, request: CallRequest, only_request: bytes | None) -> StreamCall:
        self._check_open()
        request = self._configured(request)
        deadline = request.deadline()
        try:
            stream = self._core.open_stream(self._name, CODEC, self._settings(request), only_request)
        except CoreError as error:
            raise self._failed(error) from None
        return StreamCall(stream, deadline, self._deserialize, self._dispatcher)

    def _sent(self, call: StreamCall) -> StreamCall:
        """Returns the call, which is sent although no thread waits for it. The dispatcher, if there is one, sees to
        that."""
        if self._channel._dispatcher is None:
            call.send_now(self._driver)
        return call


_PLAIN = CallRequest()


class UnaryUnaryMethod(_Method, UnaryUnaryMultiCallable):
    """Makes the calls of a ``UnaryUnaryMultiCallable``."""

    def __call__(
        self,
        request: Any,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> Any:
        data = self._serialized(request)
        asked = CallRequest(timeout, metadata, credentials, wait_for_ready, compression)
        if self._config is not None:
            return self._send(data, asked)[0]
        settings = self._settings(asked)
        try:
            response = self._core.call(self._name, data, CODEC, settings, _core.Expects.response)
        except CoreError as error:
            raise self._failed(error) from None
        return deserialized(response, self._deserialize)

    def with_call(self, request: Any, *options: Any, **named: Any) -> tuple[Any, EndedCall]:
        data = self._serialized(request)
        return self._send(data, CallRequest(*options, **named))

    def _send(self, data: bytes, asked: CallRequest) -> tuple[Any, EndedCall]:
        settings = self._settings(self._configured(asked))
        try:
            call = self._core.begin(self._name, data, CODEC, settings, _core.Expects.response, None, None)
            response = call.wait()
        except CoreError as error:
            raise self._failed(error) from None
        return deserialized(response, self._deserialize), EndedCall(ok_outcome(call.leading(), call.trailing()))

    def future(self, request: Any, *options: Any, **named: Any) -> UnaryFuture | FailedCall:
        self._check_open()
        data = serialized(request, self._serialize)
        asked = CallRequest(*options, **named)
        asked = self._configured(asked)
        future = UnaryFuture(self._channel, asked.deadline(), self._deserialize)
        try:
            checked(data, self._send_limit)
            future.begin(self._dispatcher(), self._name, data, self._settings(asked))
        except CoreError as error:
            raise self._failed(error) from None
        except FailedCall as error:
            return error
        return future


class UnaryStreamMethod(_Method, UnaryStreamMultiCallable):
    """Makes the calls of a ``UnaryStreamMultiCallable``."""

    def __call__(self, request: Any, *options: Any, **named: Any) -> StreamCall | FailedStream:
        data = serialized(request, self._serialize)
        try:
            checked(data, self._send_limit)
            call = self._open(CallRequest(*options, **named), data)
        except FailedCall as error:
            return FailedStream(error._outcome)
        return self._sent(call)


class StreamUnaryMethod(_Method, StreamUnaryMultiCallable):
    """Makes the calls of a ``StreamUnaryMultiCallable``."""

    def _begun(self, requests: Iterable[Any], asked: CallRequest) -> StreamCall:
        call = self._open(asked, None)
        call.send(requests, self._serialized)
        return call

    def __call__(self, request_iterator: Any, *options: Any, **named: Any) -> Any:
        return self.with_call(request_iterator, *options, **named)[0]

    def with_call(self, request_iterator: Any, *options: Any, **named: Any) -> tuple[Any, EndedCall]:
        asked = CallRequest(*options, **named)
        call = self._begun(request_iterator, asked)
        try:
            response = call.only_response()
        except StreamCall:
            raise FailedCall(call._ended()) from None
        return response, EndedCall(call._ended())

    def future(self, request_iterator: Any, *options: Any, **named: Any) -> StreamCall | FailedCall:
        asked = CallRequest(*options, **named)
        try:
            call = self._begun(request_iterator, asked)
        except FailedCall as error:
            return error
        call.begin_only_response()
        return call


class StreamStreamMethod(_Method, StreamStreamMultiCallable):
    """Makes the calls of a ``StreamStreamMultiCallable``."""

    def __call__(self, request_iterator: Any, *options: Any, **named: Any) -> StreamCall | FailedStream:
        try:
            call = self._open(CallRequest(*options, **named), None)
        except FailedCall as error:
            return FailedStream(error._outcome)
        call.send(request_iterator, self._serialized)
        return self._sent(call)
