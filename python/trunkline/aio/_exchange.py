# SPDX-License-Identifier: MIT
"""Exchange: the responses of a stream whose requests are written in a task of their own."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from .. import _core
from .._errors import Cancelled
from ._background import keep_running
from ._request_task import Requests
from ._request_writer import RequestWriter
from ._responses import Responses
from ._stream_call import AsyncStreamCall

_log = logging.getLogger("trunkline")


class Exchange(Responses):
    """The responses of a stream, made by ``ClientStream.exchange``. Closing it, or dropping the last reference, cancels
    the call unless it has ended."""

    def __init__(self, stream: object, call: AsyncStreamCall, requests: Requests) -> None:
        """``stream`` is the ClientStream of ``call``, by which its channel finds it. The first read starts the task
        that writes."""
        self._stream = stream
        self._call = call
        self._requests = requests
        self._writer: RequestWriter | None = None
        #: True after the end of the call.
        self._is_over = False
        #: True once an error of the call or of its requests has come: no message and no end follow it.
        self._has_failed = False
        #: True after the last response, or once it was closed.
        self._is_closed = False

    async def __anext__(self) -> Any:
        """Returns the next response. Once it has raised an error it raises errors only."""
        call = self._call
        try:
            if self._is_closed:
                raise StopAsyncIteration
            if self._writer is None:
                self._loop = asyncio.get_running_loop()
                self._writer = RequestWriter(self._requests, call)
                self._requests = ()
            try:
                await call.opened()
                has_message, message = await call.read()
            except (asyncio.CancelledError, GeneratorExit):
                raise  # the read is given up, and the call goes on
            except BaseException:
                if not call.is_being_read:  # otherwise this second read was refused
                    self._has_failed = True
                    await self._end()
                raise
            if not has_message:
                await self._end()
            if self._has_failed or call.has_end_failed:
                raise Cancelled("read exchange: an error that was raised here has ended it")
            if has_message:
                return message
            self._is_closed = True
            raise StopAsyncIteration
        finally:
            del self  # a traceback refers to this frame, and is not to keep the call alive

    async def _end(self) -> None:
        """Runs when the call has ended. Raises what the requests have raised, once."""
        writer = self._writer
        assert writer is not None
        if not self._is_over:
            await self._leave(writer)
        try:
            writer.raise_failure()
        except BaseException:
            self._has_failed = True
            raise

    async def aclose(self) -> None:
        self._is_closed = True
        if self._writer is not None and not self._is_over:
            await self._leave(self._writer)

    async def _leave(self, writer: RequestWriter) -> None:
        self._is_over = True
        self._loop = None
        try:
            await self._call.leave()
        except GeneratorExit:
            writer.stop()
            raise
        except BaseException:
            await writer.end()
            raise
        await writer.end()

    def _cancel(self) -> None:
        self._call.cancel_stream()

    def _stop(self) -> None:
        call = self._call
        call.cancel()
        if self._writer is not None:
            self._writer.stop()
        if call.is_intercepted:
            keep_running(asyncio.get_running_loop().create_task(_leave(call)))


async def _leave(call: AsyncStreamCall) -> None:
    try:
        await call.leave()
    except Exception as error:
        if not _core.is_left_behind():
            _log.error("leaving a stream: %s", type(error).__name__, exc_info=error)
