# SPDX-License-Identifier: MIT
"""The channel for asyncio, and its methods."""

from __future__ import annotations

import abc
import asyncio
import contextlib
from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any, Generic, TypeVar

from ..._errors import FailedPrecondition, InvalidArgument
from ..._errors import RpcError as CoreError
from ...aio._channel import Channel as TrunklineChannel
from .._call_request import CallRequest
from .._channel_options import channel_options
from .._channel_target import ChannelTarget
from .._connectivity import ChannelConnectivity, connectivity_of
from .._credentials import ChannelCredentials
from .._service_config import ServiceConfig
from ._active_calls import ActiveCalls
from ._call_interfaces import (
    Call,
    Request,
    Response,
    StreamStreamCall,
    StreamUnaryCall,
    UnaryStreamCall,
    UnaryUnaryCall,
)
from ._errors import UsageError
from ._intercepted_call import (
    InterceptedStreamStreamCall,
    InterceptedStreamUnaryCall,
    InterceptedUnaryStreamCall,
    InterceptedUnaryUnaryCall,
)
from ._interceptors import (
    ClientCallDetails,
    ClientInterceptor,
    StreamStreamClientInterceptor,
    StreamUnaryClientInterceptor,
    UnaryStreamClientInterceptor,
    UnaryUnaryClientInterceptor,
)
from ._metadata import Metadata
from ._ongoing_call import A_YEAR, CallPlan
from ._responded_call import IteratedCall, RespondedCall
from ._stream_call import WireRequests, WireResponses, WireStreams
from ._unary_call import WireUnaryCall

Self = TypeVar("Self", bound="Channel")
Serialize = Callable[[Any], bytes]
Deserialize = Callable[[bytes], Any]


class UnaryUnaryMultiCallable(Generic[Request, Response], abc.ABC):
    """A method with one request and one response."""

    @abc.abstractmethod
    def __call__(
        self,
        request: Request,
        *,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> UnaryUnaryCall[Request, Response]:
        """Begins the call."""


class UnaryStreamMultiCallable(Generic[Request, Response], abc.ABC):
    """A method with one request and a stream of responses."""

    @abc.abstractmethod
    def __call__(
        self,
        request: Request,
        *,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> UnaryStreamCall[Request, Response]:
        """Begins the call."""


class StreamUnaryMultiCallable(Generic[Request, Response], abc.ABC):
    """A method with a stream of requests and one response."""

    @abc.abstractmethod
    def __call__(
        self,
        request_iterator: Any = None,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> StreamUnaryCall[Request, Response]:
        """Begins the call. Without ``request_iterator`` its requests are written to it."""


class StreamStreamMultiCallable(Generic[Request, Response], abc.ABC):
    """A method with a stream of requests and a stream of responses."""

    @abc.abstractmethod
    def __call__(
        self,
        request_iterator: Any = None,
        timeout: float | None = None,
        metadata: Any = None,
        credentials: Any = None,
        wait_for_ready: bool | None = None,
        compression: Any = None,
    ) -> StreamStreamCall[Request, Response]:
        """Begins the call. Without ``request_iterator`` its requests are written to it."""


class _Method:
    """The base of methods of every kind. It makes calls, through the interceptors if there are any."""

    #: The class of a call on the wire, and the class of a call with interceptors.
    _wire: Any
    _intercepted: Any
    _intercept: str
    _streams_requests = False
    _streams_responses = False

    def __init__(self, plan_of: Callable[[Any], CallPlan], method: str, interceptors: Sequence[Any]) -> None:
        """``interceptors`` is the channel's list for methods of this kind, to which it may still add some."""
        self._plan_of = plan_of
        self._plan = plan_of(method)
        self._name = method
        self._interceptors = interceptors

    def _begin(self, request: Any, asked: CallRequest) -> Any:
        if not self._interceptors:
            return self._begin_on_wire(self._plan, asked, request)
        interceptors = tuple(self._interceptors)
        sent = asked.metadata if isinstance(asked.metadata, Metadata) else Metadata.from_tuple(asked.metadata)
        details = ClientCallDetails(
            self._name.encode(), asked.timeout, sent, asked.credentials, asked.wait_for_ready
        )
        made: list[Call] = []

        async def through(remaining: Sequence[Any], details: Any, request: Any) -> Any:
            if not remaining:
                final = CallRequest(
                    details.timeout, details.metadata, details.credentials, details.wait_for_ready, asked.compression
                )
                made.append(self._begin_on_wire(self._plan_for(details.method), final, request))
                return made[-1]

            async def continuation(details: Any, request: Any) -> Any:
                return await through(remaining[1:], details, request)

            result = await getattr(remaining[0], self._intercept)(continuation, details, request)
            if isinstance(result, Call):
                return result
            if self._streams_responses:
                return IteratedCall(made[-1] if made else None, result)
            return RespondedCall(result)

        if not self._streams_requests:
            call = self._intercepted(lambda: through(interceptors, details, request), asked.timeout)
        else:
            call = self._intercepted(
                lambda requests: through(interceptors, details, requests), asked.timeout, request
            )
        self._plan.calls.add(call)
        return call

    def _begin_on_wire(self, plan: CallPlan, asked: CallRequest, request: Any) -> Any:
        """Begins a call that the core carries. Raises UsageError."""
        plan.calls.check_open()
        if plan.channel.state == "closed":
            raise UsageError("Channel is closed.")
        if asked.credentials is not None and not plan.terms.is_secure:
            raise UsageError("Call credentials are only valid on secure channels")
        call = self._wire(plan, asked, request)
        plan.calls.add(call)
        return call

    def _plan_for(self, method: Any) -> CallPlan:
        name = method.decode() if isinstance(method, bytes) else method
        return self._plan if name == self._name else self._plan_of(name)


class _OneRequest(_Method):
    def __call__(self, request: Any, **options: Any) -> Any:
        return self._begin(request, CallRequest(**options))


class _ManyRequests(_Method):
    _streams_requests = True

    def __call__(self, request_iterator: Any = None, *options: Any, **named: Any) -> Any:
        return self._begin(request_iterator, CallRequest(*options, **named))


class _UnaryUnary(_OneRequest, UnaryUnaryMultiCallable[Any, Any]):
    _wire = WireUnaryCall
    _intercepted = InterceptedUnaryUnaryCall
    _intercept = "intercept_unary_unary"


class _UnaryStream(_OneRequest, UnaryStreamMultiCallable[Any, Any]):
    _wire = WireResponses
    _intercepted = InterceptedUnaryStreamCall
    _intercept = "intercept_unary_stream"
    _streams_responses = True


class _StreamUnary(_ManyRequests, StreamUnaryMultiCallable[Any, Any]):
    _wire = WireRequests
    _intercepted = InterceptedStreamUnaryCall
    _intercept = "intercept_stream_unary"


class _StreamStream(_ManyRequests, StreamStreamMultiCallable[Any, Any]):
    _wire = WireStreams
    _intercepted = InterceptedStreamStreamCall
    _intercept = "intercept_stream_stream"
    _streams_responses = True


class Channel(abc.ABC):
    """Makes calls to one target, for asyncio."""

    @abc.abstractmethod
    async def __aenter__(self: Self) -> Self:
        """Returns the channel."""

    @abc.abstractmethod
    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Closes the channel."""

    @abc.abstractmethod
    async def close(self, grace: float | None = None) -> None:
        """Closes the channel: refuses further calls, and cancels those that are in progress after ``grace`` seconds, or
        at once."""

    @abc.abstractmethod
    def get_state(self, try_to_connect: bool = False) -> ChannelConnectivity:
        """Returns the state of the channel."""

    @abc.abstractmethod
    async def wait_for_state_change(self, last_observed_state: ChannelConnectivity) -> None:
        """Waits until the state is another one."""

    @abc.abstractmethod
    async def channel_ready(self) -> None:
        """Makes the channel connect and waits until it is ready."""

    @abc.abstractmethod
    def unary_unary(
        self,
        method: str,
        request_serializer: Serialize | None = None,
        response_deserializer: Deserialize | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryUnaryMultiCallable[Any, Any]:
        """Returns the method, whose name is ``/package.Service/Method``."""

    @abc.abstractmethod
    def unary_stream(
        self,
        method: str,
        request_serializer: Serialize | None = None,
        response_deserializer: Deserialize | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryStreamMultiCallable[Any, Any]:
        """Returns the method, whose name is ``/package.Service/Method``."""

    @abc.abstractmethod
    def stream_unary(
        self,
        method: str,
        request_serializer: Serialize | None = None,
        response_deserializer: Deserialize | None = None,
        _registered_method: bool | None = False,
    ) -> StreamUnaryMultiCallable[Any, Any]:
        """Returns the method, whose name is ``/package.Service/Method``."""

    @abc.abstractmethod
    def stream_stream(
        self,
        method: str,
        request_serializer: Serialize | None = None,
        response_deserializer: Deserialize | None = None,
        _registered_method: bool | None = False,
    ) -> StreamStreamMultiCallable[Any, Any]:
        """Returns the method, whose name is ``/package.Service/Method``."""


class GrpcChannel(Channel):
    """A channel that speaks gRPC through a ``trunkline.aio.Channel``."""

    def __init__(self, target: ChannelTarget, options: Any, compression: Any, interceptors: Any) -> None:
        #: The interceptors of each kind of calls. Google's clients add to these lists, under grpcio's names, after they
        #: have made the channel, and calls of all its methods then pass through what they have added.
        self._unary_unary_interceptors: list[Any] = []
        self._unary_stream_interceptors: list[Any] = []
        self._stream_unary_interceptors: list[Any] = []
        self._stream_stream_interceptors: list[Any] = []
        for interceptor in interceptors or ():
            self._list_for(interceptor).append(interceptor)
        own = {**channel_options(options, compression), **target.options}
        try:
            self._channel = TrunklineChannel(target.uri, **own)
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        self._terms = target.terms
        self._config = ServiceConfig.of(options)
        self._calls = ActiveCalls()
        self._connecting: set[asyncio.Task[None]] = set()

    def _list_for(self, interceptor: ClientInterceptor) -> list[Any]:
        """Returns the list of the one kind of calls that an interceptor is for: the first one, as in grpcio, if it is
        of several kinds."""
        if isinstance(interceptor, UnaryUnaryClientInterceptor):
            return self._unary_unary_interceptors
        if isinstance(interceptor, UnaryStreamClientInterceptor):
            return self._unary_stream_interceptors
        if isinstance(interceptor, StreamUnaryClientInterceptor):
            return self._stream_unary_interceptors
        if isinstance(interceptor, StreamStreamClientInterceptor):
            return self._stream_stream_interceptors
        raise ValueError(
            f"Interceptor {interceptor!r} must be UnaryUnaryClientInterceptor, UnaryStreamClientInterceptor, "
            "StreamUnaryClientInterceptor or StreamStreamClientInterceptor"
        )

    async def __aenter__(self: Self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self, grace: float | None = None) -> None:
        if self._calls.is_closed:
            if self._calls.are_cancelled:
                await self._close_channel()
            return  # as in grpcio, a second close leaves calls the grace that the first one has given them
        if grace is not None and grace < 0:
            raise ValueError(f"grace must be non-negative, got {grace}.")
        try:
            await self._calls.close(grace)
        finally:
            for task in list(self._connecting):
                task.cancel()
            await self._close_channel()

    async def _close_channel(self) -> None:
        with contextlib.suppress(CoreError):  # calls were cut off
            await self._channel.close(0.0)

    def get_state(self, try_to_connect: bool = False) -> ChannelConnectivity:
        if try_to_connect and self._channel.state == "idle":
            task = asyncio.ensure_future(self._connect())
            self._connecting.add(task)
            task.add_done_callback(self._connecting.discard)
        return connectivity_of(self._channel.state)

    async def _connect(self) -> None:
        with contextlib.suppress(CoreError):  # it is closed
            await self._channel.wait_for_ready(A_YEAR)

    async def wait_for_state_change(self, last_observed_state: ChannelConnectivity) -> None:
        self._calls.check_open()
        if self._channel.state == "closed":
            raise UsageError("Channel is closed.")
        changed: asyncio.Future[None] = asyncio.get_running_loop().create_future()

        def take(state: str) -> None:
            if connectivity_of(state) is not last_observed_state and not changed.done():
                changed.set_result(None)

        end = self._channel.on_state_change(take)
        try:
            if self.get_state() is last_observed_state:
                await changed
        finally:
            end()

    async def channel_ready(self) -> None:
        try:
            await self._channel.wait_for_ready(A_YEAR)
        except FailedPrecondition:
            self._calls.check_open()
            raise

    def _plan_of(
        self, serialize: Serialize | None, deserialize: Deserialize | None
    ) -> Callable[[Any], CallPlan]:
        return lambda method: CallPlan(
            self._channel, self._calls, self._terms, self._config, method, serialize, deserialize
        )

    def unary_unary(
        self,
        method: str,
        request_serializer: Serialize | None = None,
        response_deserializer: Deserialize | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryUnaryMultiCallable[Any, Any]:
        plan_of = self._plan_of(request_serializer, response_deserializer)
        return _UnaryUnary(plan_of, method, self._unary_unary_interceptors)

    def unary_stream(
        self,
        method: str,
        request_serializer: Serialize | None = None,
        response_deserializer: Deserialize | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryStreamMultiCallable[Any, Any]:
        plan_of = self._plan_of(request_serializer, response_deserializer)
        return _UnaryStream(plan_of, method, self._unary_stream_interceptors)

    def stream_unary(
        self,
        method: str,
        request_serializer: Serialize | None = None,
        response_deserializer: Deserialize | None = None,
        _registered_method: bool | None = False,
    ) -> StreamUnaryMultiCallable[Any, Any]:
        plan_of = self._plan_of(request_serializer, response_deserializer)
        return _StreamUnary(plan_of, method, self._stream_unary_interceptors)

    def stream_stream(
        self,
        method: str,
        request_serializer: Serialize | None = None,
        response_deserializer: Deserialize | None = None,
        _registered_method: bool | None = False,
    ) -> StreamStreamMultiCallable[Any, Any]:
        plan_of = self._plan_of(request_serializer, response_deserializer)
        return _StreamStream(plan_of, method, self._stream_stream_interceptors)


def insecure_channel(
    target: str,
    options: Any = None,
    compression: Any = None,
    interceptors: Sequence[ClientInterceptor] | None = None,
) -> Channel:
    """Makes a channel without TLS, as ``grpc.insecure_channel`` does. Of ``interceptors`` the first is outermost."""
    return GrpcChannel(ChannelTarget.of(target, None, options), options, compression, interceptors)


def secure_channel(
    target: str,
    credentials: ChannelCredentials,
    options: Any = None,
    compression: Any = None,
    interceptors: Sequence[ClientInterceptor] | None = None,
) -> Channel:
    """Makes a channel as ``insecure_channel`` does, secured by the credentials."""
    return GrpcChannel(ChannelTarget.of(target, credentials, options), options, compression, interceptors)
