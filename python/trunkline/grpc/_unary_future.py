# SPDX-License-Identifier: MIT
"""UnaryFuture: a call with one request and one response that runs in the background."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import _core
from .._errors import RpcError as CoreError
from .._sync.channel import Channel
from .._sync.futures import Dispatcher
from ._call_request import CODEC, deserialized
from ._ended_call import FailedCall
from ._inbox_tag import InboxTag
from ._ongoing_call import OngoingCall
from ._outcome import Outcome, failed_outcome, ok_outcome
from ._status_code import StatusCode


class UnaryFuture(OngoingCall):
    """A call with one request and one response. It ends on the thread of the channel's dispatcher. Dropping the channel
    does not end it."""

    def __init__(self, channel: Channel, deadline: float | None, deserialize: Callable[[bytes], Any] | None) -> None:
        super().__init__(deadline)
        self._channel = channel
        self._deserialize = deserialize
        self._call: _core.ClientCall | None = None
        self._ended_early: Any = None

    def begin(self, dispatcher: Dispatcher, method: str, data: bytes, settings: _core.CallSettings) -> None:
        """Sends the request."""
        core = self._channel._core
        self._call = None
        tag = InboxTag(dispatcher, self._take)
        try:
            call = core.begin(method, data, CODEC, settings, _core.Expects.response, dispatcher.inbox, tag)
        except BaseException:
            tag.forget()
            raise
        with self._changed:
            self._call = call
            early, self._ended_early = self._ended_early, None
        if early is not None:
            self._take(*early)

    def _take(self, outcome: Any) -> None:
        with self._changed:
            if self._call is None:  # it has ended before begin() got it
                self._ended_early = (outcome,)
                return
        if isinstance(outcome, CoreError):
            return self._end(failed_outcome(outcome))
        if isinstance(outcome, BaseException):
            return self._end(Outcome(StatusCode.INTERNAL, str(outcome), debug_error_string=repr(outcome)))
        try:
            response = deserialized(outcome, self._deserialize)
        except FailedCall as error:
            return self._end(error._outcome)
        self._end(ok_outcome(self._call.leading(), self._call.trailing()), response)

    def _cancel_on_wire(self) -> None:
        if self._call is not None:
            self._call.cancel()
