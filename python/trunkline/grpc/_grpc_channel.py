# SPDX-License-Identifier: MIT
"""GrpcChannel: a channel for code that blocks."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import Callable
from typing import Any

from .._errors import InvalidArgument
from .._errors import RpcError as CoreError
from .._process.threads import begin_in_thread, start_thread
from .._sync.channel import Channel as TrunklineChannel
from ._call_driver import CallDriver
from ._channel_interface import Channel
from ._channel_options import channel_options
from ._channel_target import ChannelTarget
from ._connectivity import ChannelConnectivity, connectivity_of
from ._credentials import ChannelCredentials
from ._methods import StreamStreamMethod, StreamUnaryMethod, UnaryStreamMethod, UnaryUnaryMethod
from ._service_config import ServiceConfig

_log = logging.getLogger(__name__)

_A_YEAR = 365 * 86400.0

StateCallback = Callable[[ChannelConnectivity], None]


class GrpcChannel(Channel):
    """A channel that speaks gRPC through a ``trunkline.Channel``."""

    def __init__(self, target: ChannelTarget, options: Any, compression: Any) -> None:
        own = {**channel_options(options, compression), **target.options}
        try:
            self._channel = TrunklineChannel(target.uri, **own)
        except InvalidArgument as error:
            raise ValueError(error.message) from error
        self._driver = CallDriver()
        self._parts = (self._channel, target.terms, ServiceConfig.of(options), self._driver)
        self._watches: list[tuple[StateCallback, Callable[[], None]]] = []

    def subscribe(self, callback: StateCallback, try_to_connect: bool | None = False) -> None:
        last: list[ChannelConnectivity] = []

        def report(state: str) -> None:
            connectivity = connectivity_of(state)
            if last[-1:] != [connectivity]:
                last[:] = [connectivity]
                try:
                    callback(connectivity)
                except Exception:
                    _log.exception("a callback of a channel's connectivity has raised")

        try:
            self._watches.append((callback, self._channel.on_state_change(report)))
        except CoreError:  # the channel is closed, which is its last state
            pass
        begin_in_thread(report, self._channel.state)
        if try_to_connect:
            with contextlib.suppress(RuntimeError):  # a thread is refused: the channel connects for its first call
                start_thread(self._connect)

    def _connect(self) -> None:
        with contextlib.suppress(CoreError):  # it is closed
            self._channel.wait_for_ready(_A_YEAR)

    def unsubscribe(self, callback: StateCallback) -> None:
        for watch in self._watches:
            if watch[0] == callback:
                self._watches.remove(watch)
                return watch[1]()

    def unary_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryUnaryMethod:
        return UnaryUnaryMethod(*self._parts, method, request_serializer, response_deserializer)

    def unary_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> UnaryStreamMethod:
        return UnaryStreamMethod(*self._parts, method, request_serializer, response_deserializer)

    def stream_unary(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> StreamUnaryMethod:
        return StreamUnaryMethod(*self._parts, method, request_serializer, response_deserializer)

    def stream_stream(
        self,
        method: str,
        request_serializer: Callable[[Any], bytes] | None = None,
        response_deserializer: Callable[[bytes], Any] | None = None,
        _registered_method: bool | None = False,
    ) -> StreamStreamMethod:
        return StreamStreamMethod(*self._parts, method, request_serializer, response_deserializer)

    def close(self) -> None:
        for callback, _ in list(self._watches):
            self.unsubscribe(callback)
        with contextlib.suppress(CoreError):  # calls were cut off
            self._channel.close(0.0)
        self._driver.close()


def insecure_channel(target: str, options: Any = None, compression: Any = None) -> Channel:
    """Makes a channel without TLS to ``host:port``, ``dns:///host:port``, ``ipv4:host:port``, ``ipv6:[host]:port``,
    ``unix:path``, ``unix:///path`` or ``unix-abstract:name``.

    ``options`` are pairs such as ``("grpc.max_receive_message_length", -1)``. ``compression`` is that of the requests.
    """
    return GrpcChannel(ChannelTarget.of(target, None, options), options, compression)


def secure_channel(
    target: str, credentials: ChannelCredentials, options: Any = None, compression: Any = None
) -> Channel:
    """Makes a channel as ``insecure_channel`` does, secured by the credentials."""
    return GrpcChannel(ChannelTarget.of(target, credentials, options), options, compression)
