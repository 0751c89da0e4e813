# SPDX-License-Identifier: MIT
"""The service example.Chat: responds to each line while the client keeps writing, and sends a farewell."""

from __future__ import annotations

from collections.abc import Iterator

import trunkline
from generated.chat_pb2 import ChatMessage
from generated.chat_trunkline import ChatService


class Listener(ChatService):
    def talk(self, requests: Iterator[ChatMessage], context: trunkline.Context) -> Iterator[ChatMessage]:
        for line in requests:
            said = f"{getattr(line, 'from')} said: {line.text}"
            yield ChatMessage(**{"from": "server", "text": said})
        yield ChatMessage(**{"from": "server", "text": "goodbye"})


def add_chat(server: trunkline.Server) -> None:
    server.add_service(Listener())
