# SPDX-License-Identifier: MIT
"""Calls of one routing key stay on one server, whatever their form."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections.abc import Awaitable, Callable, Iterable, Iterator

import pytest
import trunkline
from google.protobuf.wrappers_pb2 import StringValue
from trunkline import aio

from .speller import AsyncSpellerClient, SpellerClient, SpellerService

KEYS = [f"key {number}" for number in range(24)]
EMPTY = StringValue()


class Named(SpellerService):
    """Every method tells which server it is. A call whose metadata has a `sign` is noted."""

    def __init__(self, name: str, noted: dict[str, str], has_noted: threading.Condition) -> None:
        self._name = StringValue(value=name)
        self._noted = noted
        self._has_noted = has_noted

    def greet(self, request: StringValue, context: trunkline.Context) -> StringValue:
        sign = context.metadata.get("sign")
        if sign is not None:
            with self._has_noted:
                self._noted[str(sign)] = self._name.value
                self._has_noted.notify_all()
        return self._name

    def join(self, requests: Iterator[StringValue], context: trunkline.Context) -> StringValue:
        list(requests)
        return self._name

    def spell(self, request: StringValue, context: trunkline.Context) -> Iterator[StringValue]:
        yield self._name


class Fleet:
    """Three servers, and which of them served the calls that were noted."""

    def __init__(self, stack: contextlib.ExitStack) -> None:
        self._noted: dict[str, str] = {}
        self._has_noted = threading.Condition()
        self._names: dict[str, str] = {}
        for name in "abc":
            server = trunkline.Server()
            server.add_service(Named(name, self._noted, self._has_noted))
            server.method("Stream")(self._echo(name))
            self._names[stack.enter_context(server.serve("tcp://127.0.0.1:0")).endpoint] = name
        self.uri = ",".join(self._names)

    @staticmethod
    def _echo(name: str) -> Callable[[Iterator[str]], Iterator[str]]:
        def echo(requests: Iterator[str]) -> Iterator[str]:
            for _ in requests:
                yield name

        return echo

    def name_at(self, endpoint: str) -> str:
        return self._names[endpoint]

    def server_of(self, sign: str) -> str:
        with self._has_noted:
            assert self._has_noted.wait_for(lambda: sign in self._noted, 60.0)
            return self._noted[sign]


@pytest.fixture(scope="module")
def fleet() -> Iterator[Fleet]:
    with contextlib.ExitStack() as stack:
        yield Fleet(stack)


def options(*interceptors: trunkline.ClientInterceptor) -> trunkline.ChannelOptions:
    return {
        "balancing": "consistent_hash",
        "hash_load_factor": 100.0,
        "slow_start": 0.0,
        "interceptors": interceptors,
    }


def servers_of_keys(channel: trunkline.Channel) -> dict[str, str]:
    """Where the calls of each key go, once the channel is connected to all servers."""
    deadline = time.monotonic() + 60.0
    while not (channel.servers and all(state.is_ready for state in channel.servers)):
        channel.call("test.Speller/Greet", EMPTY, StringValue, timeout=50.0, wait_for_ready=True)
        assert time.monotonic() < deadline, channel.servers
    return {key: channel.call("test.Speller/Greet", EMPTY, StringValue, routing_key=key).value for key in KEYS}


async def servers_of_keys_async(channel: aio.Channel) -> dict[str, str]:
    deadline = time.monotonic() + 60.0
    while not (channel.servers and all(state.is_ready for state in channel.servers)):
        await channel.call("test.Speller/Greet", EMPTY, StringValue, timeout=50.0, wait_for_ready=True)
        assert time.monotonic() < deadline, channel.servers
    return {key: (await channel.call("test.Speller/Greet", EMPTY, StringValue, routing_key=key)).value for key in KEYS}


def only(names: Iterable[StringValue]) -> str:
    (name,) = {str(each.value) for each in names}
    return name


def streamed(channel: trunkline.Channel, key: str, fleet: Fleet) -> str:
    with channel.stream("Stream", str, str, routing_key=key) as stream:
        stream.write("")
        return str(stream.read())


def sent_oneway(channel: trunkline.Channel, key: str, fleet: Fleet) -> str:
    channel.call_oneway("test.Speller/Greet", EMPTY, metadata={"sign": f"a {key}"}, routing_key=key)
    SpellerClient(channel).greet.oneway(EMPTY, metadata={"sign": f"b {key}"}, routing_key=key)
    assert fleet.server_of(f"a {key}") == fleet.server_of(f"b {key}")
    return fleet.server_of(f"a {key}")


def reported(channel: trunkline.Channel, key: str, fleet: Fleet) -> str:
    info = trunkline.ResponseInfo()
    channel.call("test.Speller/Greet", EMPTY, StringValue, response_info=info, routing_key=key)
    return fleet.name_at(info.peer)


def bound(channel: trunkline.Channel, key: str, fleet: Fleet) -> str:
    return str(channel.bind(Greeter, "test.Speller", routing_key=key).Greet(EMPTY).value)


class Greeter:
    """What Named is, to a client that binds a class."""

    def Greet(self, request: StringValue) -> StringValue:
        raise NotImplementedError


FORMS: dict[str, Callable[[trunkline.Channel, str, Fleet], str]] = {
    "call": lambda channel, key, fleet: SpellerClient(channel).greet(EMPTY, routing_key=key).value,
    "client's option": lambda channel, key, fleet: SpellerClient(channel, routing_key=key).greet(EMPTY).value,
    "bound class": bound,
    "response_info": reported,
    "submit": lambda channel, key, fleet: SpellerClient(channel).greet.submit(EMPTY, routing_key=key).result(9.0).value,
    "map": lambda channel, key, fleet: only(SpellerClient(channel).greet.map([EMPTY] * 3, routing_key=key)),
    "as_completed": lambda channel, key, fleet: only(
        each for _, each in SpellerClient(channel).greet.as_completed([EMPTY] * 3, routing_key=key)
    ),
    "client_stream": lambda channel, key, fleet: SpellerClient(channel).join([EMPTY], routing_key=key).value,
    "server_stream": lambda channel, key, fleet: only(SpellerClient(channel).spell(EMPTY, routing_key=key)),
    "bidirectional": streamed,
    "oneway": sent_oneway,
}


def passing(call: trunkline.OutgoingCall) -> Iterator[None]:
    yield


@pytest.fixture(scope="module", params=["plain", "intercepted"])
def channel(request: pytest.FixtureRequest, fleet: Fleet) -> Iterator[trunkline.Channel]:
    interceptors = [passing] if request.param == "intercepted" else []
    with trunkline.Channel(fleet.uri, **options(*interceptors)) as channel:
        yield channel


@pytest.mark.parametrize("form", FORMS)
def test_calls_of_one_key_stay_on_one_server(channel: trunkline.Channel, fleet: Fleet, form: str) -> None:
    expected = servers_of_keys(channel)

    assert set(expected.values()) == {"a", "b", "c"}
    assert {key: FORMS[form](channel, key, fleet) for key in KEYS} == expected


async def streamed_async(channel: aio.Channel, key: str, fleet: Fleet) -> str:
    async with channel.stream("Stream", str, str, routing_key=key) as stream:
        await stream.write("")
        return str(await stream.read())


async def sent_oneway_async(channel: aio.Channel, key: str, fleet: Fleet) -> str:
    await AsyncSpellerClient(channel).greet.oneway(EMPTY, metadata={"sign": f"async {key}"}, routing_key=key)
    return await asyncio.to_thread(fleet.server_of, f"async {key}")


async def mapped_async(channel: aio.Channel, key: str, fleet: Fleet) -> str:
    responses = AsyncSpellerClient(channel).greet.map([EMPTY] * 3, routing_key=key)
    return only([each async for each in responses])


async def completed_async(channel: aio.Channel, key: str, fleet: Fleet) -> str:
    responses = AsyncSpellerClient(channel).greet.as_completed([EMPTY] * 3, routing_key=key)
    return only([each async for _, each in responses])


async def spelled_async(channel: aio.Channel, key: str, fleet: Fleet) -> str:
    return only([each async for each in AsyncSpellerClient(channel).spell(EMPTY, routing_key=key)])


async def called_async(channel: aio.Channel, key: str, fleet: Fleet) -> str:
    return str((await AsyncSpellerClient(channel).greet(EMPTY, routing_key=key)).value)


async def submitted_async(channel: aio.Channel, key: str, fleet: Fleet) -> str:
    return str((await AsyncSpellerClient(channel).greet.submit(EMPTY, routing_key=key)).value)


async def joined_async(channel: aio.Channel, key: str, fleet: Fleet) -> str:
    return str((await AsyncSpellerClient(channel).join([EMPTY], routing_key=key)).value)


ASYNC_FORMS: dict[str, Callable[[aio.Channel, str, Fleet], Awaitable[str]]] = {
    "call": called_async,
    "submit": submitted_async,
    "map": mapped_async,
    "as_completed": completed_async,
    "client_stream": joined_async,
    "server_stream": spelled_async,
    "bidirectional": streamed_async,
    "oneway": sent_oneway_async,
}


@pytest.mark.parametrize("form", ASYNC_FORMS)
@pytest.mark.parametrize("interceptors", [[], [passing]], ids=["plain", "intercepted"])
def test_and_so_with_asyncio(fleet: Fleet, form: str, interceptors: list[trunkline.ClientInterceptor]) -> None:
    async def run() -> None:
        async with aio.Channel(fleet.uri, **options(*interceptors)) as channel:
            expected = await servers_of_keys_async(channel)
            assert {key: await ASYNC_FORMS[form](channel, key, fleet) for key in KEYS} == expected

    asyncio.run(run())


def test_a_key_is_a_str(fleet: Fleet) -> None:
    with trunkline.Channel(fleet.uri) as channel, pytest.raises(TypeError, match="routing_key"):
        channel.call("test.Speller/Greet", EMPTY, StringValue, routing_key=1)  # type: ignore[call-overload]
