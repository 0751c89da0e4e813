# SPDX-License-Identifier: MIT
"""A client of example.Chat: a coroutine that writes and reads."""

from __future__ import annotations

import asyncio

import trunkline
from generated.chat_pb2 import ChatMessage
from generated.chat_trunkline import AsyncChatClient
from trunkline import aio


async def talk(channel: aio.Channel) -> bool:
    async with AsyncChatClient(channel, timeout=30.0).talk() as stream:
        for text in ("hi", "is anyone there?", "bye"):
            await stream.write(ChatMessage(**{"from": "ann", "text": text}))
            response = await stream.read()
            if response is None or response.text != f"ann said: {text}":
                return False
            print(f"chat: {getattr(response, 'from')}: {response.text}")
        await stream.close_writes()
        farewell = await stream.read()
        await stream.finish()
        return farewell is not None and farewell.text == "goodbye"


def call_chat(channel: trunkline.Channel) -> bool:
    async def main() -> bool:
        async with aio.Channel(channel.endpoint) as own:
            return await talk(own)

    return asyncio.run(main())
