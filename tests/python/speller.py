# SPDX-License-Identifier: MIT
"""A module in the shape of generated code: a service with a method of each kind, on messages of protobuf's own."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from typing import Any, ClassVar

import trunkline
from google.protobuf import wrappers_pb2 as _wrappers_pb2
from trunkline import aio

_METHODS = {
    "greet": trunkline.MethodDefinition(
        "test.Speller/Greet", "unary", _wrappers_pb2.StringValue, _wrappers_pb2.StringValue, idempotent=True
    ),
    "join": trunkline.MethodDefinition(
        "test.Speller/Join", "client_stream", _wrappers_pb2.StringValue, _wrappers_pb2.StringValue
    ),
    "spell": trunkline.MethodDefinition(
        "test.Speller/Spell", "server_stream", _wrappers_pb2.StringValue, _wrappers_pb2.StringValue
    ),
    "measure": trunkline.MethodDefinition(
        "test.Speller/Measure", "bidirectional", _wrappers_pb2.StringValue, _wrappers_pb2.Int64Value, deprecated=True
    ),
}


class SpellerService:
    """The base of servers with functions."""

    __trunkline_service__ = "test.Speller"
    __trunkline_methods__: ClassVar[Mapping[str, trunkline.MethodDefinition]] = _METHODS
    __trunkline_file__ = _wrappers_pb2.DESCRIPTOR

    def greet(self, request: _wrappers_pb2.StringValue, context: trunkline.Context) -> _wrappers_pb2.StringValue:
        raise trunkline.Unimplemented("call test.Speller/Greet: not implemented")

    def join(
        self, requests: Iterator[_wrappers_pb2.StringValue], context: trunkline.Context
    ) -> _wrappers_pb2.StringValue:
        raise trunkline.Unimplemented("call test.Speller/Join: not implemented")

    def spell(
        self, request: _wrappers_pb2.StringValue, context: trunkline.Context
    ) -> Iterator[_wrappers_pb2.StringValue]:
        raise trunkline.Unimplemented("call test.Speller/Spell: not implemented")

    def measure(
        self, requests: Iterator[_wrappers_pb2.StringValue], context: trunkline.Context
    ) -> Iterator[_wrappers_pb2.Int64Value]:
        raise trunkline.Unimplemented("call test.Speller/Measure: not implemented")


class AsyncSpellerService:
    """The base of servers with coroutines."""

    __trunkline_service__ = "test.Speller"
    __trunkline_methods__: ClassVar[Mapping[str, trunkline.MethodDefinition]] = _METHODS
    __trunkline_file__ = _wrappers_pb2.DESCRIPTOR

    async def greet(self, request: _wrappers_pb2.StringValue, context: trunkline.Context) -> _wrappers_pb2.StringValue:
        raise trunkline.Unimplemented("call test.Speller/Greet: not implemented")

    async def join(
        self, requests: AsyncIterator[_wrappers_pb2.StringValue], context: trunkline.Context
    ) -> _wrappers_pb2.StringValue:
        raise trunkline.Unimplemented("call test.Speller/Join: not implemented")

    async def spell(
        self, request: _wrappers_pb2.StringValue, context: trunkline.Context
    ) -> AsyncIterator[_wrappers_pb2.StringValue]:
        raise trunkline.Unimplemented("call test.Speller/Spell: not implemented")
        yield

    async def measure(
        self, requests: AsyncIterator[_wrappers_pb2.StringValue], context: trunkline.Context
    ) -> AsyncIterator[_wrappers_pb2.Int64Value]:
        raise trunkline.Unimplemented("call test.Speller/Measure: not implemented")
        yield


class SpellerClient:
    """The client for code that blocks."""

    greet: trunkline.UnaryMethod[_wrappers_pb2.StringValue, _wrappers_pb2.StringValue]
    join: trunkline.ClientStreamMethod[_wrappers_pb2.StringValue, _wrappers_pb2.StringValue]
    spell: trunkline.ServerStreamMethod[_wrappers_pb2.StringValue, _wrappers_pb2.StringValue]
    measure: trunkline.BidirectionalMethod[_wrappers_pb2.StringValue, _wrappers_pb2.Int64Value]

    def __init__(self, channel: trunkline.Channel, **options: Any) -> None:
        methods = SpellerService.__trunkline_methods__
        self.greet = trunkline.UnaryMethod(channel, methods["greet"], **options)
        self.join = trunkline.ClientStreamMethod(channel, methods["join"], **options)
        self.spell = trunkline.ServerStreamMethod(channel, methods["spell"], **options)
        self.measure = trunkline.BidirectionalMethod(channel, methods["measure"], **options)


class AsyncSpellerClient:
    """The client for asyncio."""

    greet: aio.UnaryMethod[_wrappers_pb2.StringValue, _wrappers_pb2.StringValue]
    join: aio.ClientStreamMethod[_wrappers_pb2.StringValue, _wrappers_pb2.StringValue]
    spell: aio.ServerStreamMethod[_wrappers_pb2.StringValue, _wrappers_pb2.StringValue]
    measure: aio.BidirectionalMethod[_wrappers_pb2.StringValue, _wrappers_pb2.Int64Value]

    def __init__(self, channel: aio.Channel, **options: Any) -> None:
        methods = SpellerService.__trunkline_methods__
        self.greet = aio.UnaryMethod(channel, methods["greet"], **options)
        self.join = aio.ClientStreamMethod(channel, methods["join"], **options)
        self.spell = aio.ServerStreamMethod(channel, methods["spell"], **options)
        self.measure = aio.BidirectionalMethod(channel, methods["measure"], **options)
