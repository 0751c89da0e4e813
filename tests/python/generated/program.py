# SPDX-License-Identifier: MIT
"""Serves and calls a service from generated modules in every way; prints protobuf's version and implementation.

Usage: program.py MODULE    (of the service: speaker_trunkline, or package.below.speaker_trunkline)
"""

from __future__ import annotations

import asyncio
import importlib
import sys
from typing import Any

import google.protobuf
import trunkline
from google.protobuf.internal import api_implementation
from google.protobuf.wrappers_pb2 import Int64Value
from trunkline import aio

speaker: Any = importlib.import_module(sys.argv[1])
text_pb2: Any = importlib.import_module(sys.argv[1].replace("speaker_trunkline", "words.text_pb2"))
size_pb2: Any = importlib.import_module(sys.argv[1].replace("speaker_trunkline", "words.class.size_pb2"))

WORDS = [text_pb2.Text(value="aB"), text_pb2.Text(value="c")]


def letters(word: Any) -> list[Any]:
    return [text_pb2.Letter(value=each, size=size_pb2.CAPITAL if each.isupper() else 0) for each in word.value]


class Speaker(speaker.SpeakerService):  # type: ignore[misc]
    def say(self, request: Any, context: trunkline.Context) -> Any:
        return text_pb2.Text(value=f"{request.value} by {context.method}")

    def join(self, requests: Any, context: trunkline.Context) -> Any:
        return text_pb2.Text(value="".join(each.value for each in requests))

    def spell(self, request: Any, context: trunkline.Context) -> Any:
        yield from letters(request)

    def measure(self, requests: Any, context: trunkline.Context) -> Any:
        for request in requests:
            yield Int64Value(value=len(request.value))


class AsyncSpeaker(speaker.AsyncSpeakerService):  # type: ignore[misc]
    say = Speaker.say  # a function beside coroutines

    async def join(self, requests: Any, context: trunkline.Context) -> Any:
        return text_pb2.Text(value="".join([each.value async for each in requests]))

    async def spell(self, request: Any, context: trunkline.Context) -> Any:
        for letter in letters(request):
            yield letter

    async def measure(self, requests: Any, context: trunkline.Context) -> Any:
        async for request in requests:
            yield Int64Value(value=len(request.value))


def call(endpoint: str) -> None:
    with trunkline.Channel(endpoint) as channel:
        client = speaker.SpeakerClient(channel, timeout=20.0)
        assert client.say(WORDS[1]).value == "c by test.speaker.Speaker/Say"
        assert [each.value[0] for each in client.say.map(WORDS)] == ["a", "c"]
        assert client.join(WORDS).value == "aBc"
        assert list(client.spell(WORDS[0])) == letters(WORDS[0])
        assert [each.value for each in client.measure(WORDS)] == [2, 1]
        try:
            client.say(Int64Value(value=1))
            raise AssertionError("a message of another class was sent")
        except TypeError as error:
            assert "its request is of type Int64Value, not Text" in str(error), error


async def call_async(endpoint: str) -> None:
    async with aio.Channel(endpoint) as channel:
        client = speaker.AsyncSpeakerClient(channel, timeout=20.0)
        assert (await client.say(WORDS[1])).value == "c by test.speaker.Speaker/Say"
        assert [each.value[0] async for each in client.say.map(WORDS)] == ["a", "c"]
        assert (await client.join(WORDS)).value == "aBc"
        assert [each async for each in client.spell(WORDS[0])] == letters(WORDS[0])
        assert [each.value async for each in client.measure(WORDS)] == [2, 1]


def call_both(endpoint: str) -> None:
    call(endpoint)
    asyncio.run(call_async(endpoint))


async def serve_async(service: Any) -> None:
    server = aio.Server()
    server.add_service(service)
    async with server.serve("tcp://127.0.0.1:0") as running:
        await call_async(running.endpoint)
        await asyncio.to_thread(call_both, running.endpoint)


def main() -> None:
    server = trunkline.Server()
    server.add_service(Speaker())
    with server.serve("tcp://127.0.0.1:0") as running:
        call_both(running.endpoint)
    for service in (Speaker, AsyncSpeaker):
        asyncio.run(serve_async(service()))
    print(google.protobuf.__version__, api_implementation.Type())


if __name__ == "__main__":
    main()
