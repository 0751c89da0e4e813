# SPDX-License-Identifier: MIT
"""ReadyFuture: the future of a channel's becoming ready."""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import TracebackType
from typing import Any

from ._channel_interface import Channel
from ._connectivity import ChannelConnectivity
from ._errors import FutureCancelledError, FutureTimeoutError
from ._future import Future


class ReadyFuture(Future):
    """A future that ends when the channel is ready."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._changed = threading.Condition()
        self._is_ready = False
        self._is_cancelled = False
        self._callbacks: list[Callable[[Any], Any]] = []

    def start(self) -> None:
        """Makes the channel connect."""
        self._channel.subscribe(self._take, try_to_connect=True)

    def _take(self, connectivity: ChannelConnectivity) -> None:
        if connectivity is ChannelConnectivity.READY:
            self._end("_is_ready")

    def _end(self, how: str) -> bool:
        with self._changed:
            if self.done():
                return False
            setattr(self, how, True)
            callbacks, self._callbacks = self._callbacks, []
            self._changed.notify_all()
        self._channel.unsubscribe(self._take)
        for callback in callbacks:
            callback(self)
        return True

    def cancel(self) -> bool:
        return self._end("_is_cancelled")

    def cancelled(self) -> bool:
        return self._is_cancelled

    def running(self) -> bool:
        return not self.done()

    def done(self) -> bool:
        return self._is_ready or self._is_cancelled

    def result(self, timeout: float | None = None) -> None:
        with self._changed:
            if not self._changed.wait_for(self.done, timeout):
                raise FutureTimeoutError
        if self._is_cancelled:
            raise FutureCancelledError

    def exception(self, timeout: float | None = None) -> None:
        self.result(timeout)

    def traceback(self, timeout: float | None = None) -> TracebackType | None:
        self.result(timeout)
        return None

    def add_done_callback(self, fn: Callable[[Any], Any]) -> None:
        with self._changed:
            if not self.done():
                self._callbacks.append(fn)
                return
        fn(self)


def channel_ready_future(channel: Channel) -> Future:
    """Returns a future that ends when the channel is ready. It makes the channel connect."""
    future = ReadyFuture(channel)
    future.start()
    return future
