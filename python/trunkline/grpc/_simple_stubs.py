# SPDX-License-Identifier: MIT
"""Calls without a channel, which generated classes of services make: channels are made and kept by target."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ._channel_interface import Channel
from ._credentials import ChannelCredentials
from ._grpc_channel import insecure_channel, secure_channel

#: The most channels that are kept; the one that has been unused for the longest time is closed first.
_MOST_CHANNELS = 256
#: The timeout of a call that states none, in seconds.
_DEFAULT_TIMEOUT = 60.0


class _Channels:
    """The channels in use."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._channels: dict[Any, Channel] = {}

    def get(
        self, target: str, options: Any, credentials: ChannelCredentials | None, insecure: bool, compression: Any
    ) -> Channel:
        """Returns the channel of a target. Raises ValueError for credentials of an insecure channel."""
        if insecure and credentials is not None:
            raise ValueError("an insecure call has channel credentials")
        key = (target, tuple(options or ()), credentials, insecure, compression)
        with self._lock:
            channel = self._channels.pop(key, None)
            if channel is None:
                channel = self._made(target, options, credentials, insecure, compression)
            self._channels[key] = channel
            left = self._channels.pop(next(iter(self._channels))) if len(self._channels) > _MOST_CHANNELS else None
        if left is not None:
            left.close()
        return channel

    def _made(
        self, target: str, options: Any, credentials: ChannelCredentials | None, insecure: bool, compression: Any
    ) -> Channel:
        if insecure or (credentials is not None and credentials.options is None and not credentials.call_credentials):
            return insecure_channel(target, options, compression)
        if credentials is None:
            from ._credentials import ssl_channel_credentials

            credentials = ssl_channel_credentials()
        return secure_channel(target, credentials, options, compression)


_channels = _Channels()


def _start_anew() -> None:
    """Runs in a forked child, which cannot use the parent's channels."""
    global _channels
    _channels = _Channels()


os.register_at_fork(after_in_child=_start_anew)


def _call(kind: str, request: Any, target: str, method: str, arguments: dict[str, Any]) -> Any:
    channel = _channels.get(
        target,
        arguments["options"],
        arguments["channel_credentials"],
        arguments["insecure"],
        arguments["compression"],
    )
    multicallable = getattr(channel, kind)(
        method, arguments["request_serializer"], arguments["response_deserializer"], arguments["_registered_method"]
    )
    return multicallable(
        request,
        timeout=arguments["timeout"],
        metadata=arguments["metadata"],
        credentials=arguments["call_credentials"],
        wait_for_ready=True if arguments["wait_for_ready"] is None else arguments["wait_for_ready"],
    )


def unary_unary(
    request: Any,
    target: str,
    method: str,
    request_serializer: Callable[[Any], bytes] | None = None,
    response_deserializer: Callable[[bytes], Any] | None = None,
    options: Any = (),
    channel_credentials: ChannelCredentials | None = None,
    insecure: bool = False,
    call_credentials: Any = None,
    compression: Any = None,
    wait_for_ready: bool | None = None,
    timeout: float | None = _DEFAULT_TIMEOUT,
    metadata: Any = None,
    _registered_method: bool | None = False,
) -> Any:
    """Sends one request and returns the response."""
    return _call("unary_unary", request, target, method, dict(locals()))


def unary_stream(
    request: Any,
    target: str,
    method: str,
    request_serializer: Callable[[Any], bytes] | None = None,
    response_deserializer: Callable[[bytes], Any] | None = None,
    options: Any = (),
    channel_credentials: ChannelCredentials | None = None,
    insecure: bool = False,
    call_credentials: Any = None,
    compression: Any = None,
    wait_for_ready: bool | None = None,
    timeout: float | None = _DEFAULT_TIMEOUT,
    metadata: Any = None,
    _registered_method: bool | None = False,
) -> Iterator[Any]:
    """Sends one request and returns the iterator of the responses."""
    responses: Iterator[Any] = _call("unary_stream", request, target, method, dict(locals()))
    return responses


def stream_unary(
    request_iterator: Any,
    target: str,
    method: str,
    request_serializer: Callable[[Any], bytes] | None = None,
    response_deserializer: Callable[[bytes], Any] | None = None,
    options: Any = (),
    channel_credentials: ChannelCredentials | None = None,
    insecure: bool = False,
    call_credentials: Any = None,
    compression: Any = None,
    wait_for_ready: bool | None = None,
    timeout: float | None = _DEFAULT_TIMEOUT,
    metadata: Any = None,
    _registered_method: bool | None = False,
) -> Any:
    """Sends the requests and returns the response."""
    return _call("stream_unary", request_iterator, target, method, dict(locals()))


def stream_stream(
    request_iterator: Any,
    target: str,
    method: str,
    request_serializer: Callable[[Any], bytes] | None = None,
    response_deserializer: Callable[[bytes], Any] | None = None,
    options: Any = (),
    channel_credentials: ChannelCredentials | None = None,
    insecure: bool = False,
    call_credentials: Any = None,
    compression: Any = None,
    wait_for_ready: bool | None = None,
    timeout: float | None = _DEFAULT_TIMEOUT,
    metadata: Any = None,
    _registered_method: bool | None = False,
) -> Iterator[Any]:
    """Sends the requests and returns the iterator of the responses."""
    responses: Iterator[Any] = _call("stream_stream", request_iterator, target, method, dict(locals()))
    return responses
