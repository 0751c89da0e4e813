# SPDX-License-Identifier: MIT
"""WireUnaryCall: a client's call with one request and one response, for asyncio."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator
from typing import Any

from ... import _core
from ..._errors import RpcError as CoreError
from .._call_request import CODEC, CallRequest, deserialized
from .._ended_call import FailedCall
from .._outcome import Outcome, failed_outcome, ok_outcome
from .._status_code import StatusCode
from ._call_interfaces import UnaryUnaryCall
from ._ongoing_call import CallPlan, OngoingCall


class WireUnaryCall(OngoingCall, UnaryUnaryCall[Any, Any]):
    """A ``UnaryUnaryCall`` that the core carries."""

    def __init__(self, plan: CallPlan, asked: CallRequest, request: Any) -> None:
        self._request = request
        self._call: _core.ClientCall | None = None
        self._raw: asyncio.Future[Any] | None = None
        self._response: Any = None
        super().__init__(plan, asked)

    def _open(self, settings: _core.CallSettings) -> None:
        plan = self._plan
        data = self._serialized(self._request)
        self._request = None
        raw: asyncio.Future[Any] = self._loop.create_future()
        self._call = plan.core.begin(plan.method, data, CODEC, settings, _core.Expects.response, self._inbox, raw)
        self._raw = raw
        # This runs before the task that awaits it, so the outcome is known by then.
        raw.add_done_callback(self._settle)

    def _settle(self, raw: asyncio.Future[Any]) -> None:
        self._raw = None  # it holds the error, whose traceback refers to this call
        if self._outcome is not None:
            return
        if raw.cancelled():
            if _core.is_left_behind():
                self._has_ended.cancel()
            return
        error = raw.exception()
        if isinstance(error, CoreError):
            return self._end(failed_outcome(error))
        if error is not None:
            return self._end(Outcome(StatusCode.INTERNAL, str(error), debug_error_string=repr(error)))
        assert self._call is not None
        try:
            self._response = deserialized(raw.result(), self._plan.deserialize)
        except FailedCall as failed:
            return self._end(failed._outcome)
        self._end(ok_outcome(self._call.leading(), self._call.trailing()))

    def _cancel_on_wire(self) -> None:
        if self._call is not None:
            self._call.cancel()
        if self._raw is not None and not self._raw.done():
            self._raw.cancel()

    def __await__(self) -> Generator[Any, None, Any]:
        if self._outcome is None:
            try:
                if self._raw is not None and not self._raw.done():
                    with contextlib.suppress(CoreError):  # the outcome has it
                        yield from self._raw
                if self._outcome is None:
                    yield from self._ended().__await__()
            except asyncio.CancelledError:
                self.cancel()
                raise
        self._raise_for_outcome()
        return self._response

    async def wait_for_connection(self) -> None:
        """Waits for the response, as grpcio does. Raises as ``await call``."""
        await self

    def __del__(self) -> None:
        pass  # it runs to its end, as a task would
