# SPDX-License-Identifier: MIT
"""The client's side of example.Chat: a coroutine that talks and listens."""

from __future__ import annotations

import asyncio
from typing import Any

import trunkline
from messages import load
from trunkline import aio

ChatMessage: Any = load("05_chat/chat.proto")["ChatMessage"]


async def talk(channel: aio.Channel) -> bool:
    async with channel.stream("example.Chat/Talk", ChatMessage, ChatMessage, timeout=30.0) as stream:
        for text in ("hi", "is anyone there?", "bye"):
            await stream.write(ChatMessage(**{"from": "ann", "text": text}))
            answer = await stream.read()
            print(f"chat: {getattr(answer, 'from')}: {answer.text}")
            if answer.text != f"ann said: {text}":
                return False
        await stream.close_writes()
        farewell = await stream.read()
        await stream.finish()
        return bool(farewell.text == "goodbye")


def call_chat(channel: trunkline.Channel) -> bool:
    async def main() -> bool:
        async with aio.Channel(channel.endpoint) as own:
            return await talk(own)

    return asyncio.run(main())
