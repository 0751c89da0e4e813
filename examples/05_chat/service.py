# SPDX-License-Identifier: MIT
"""The server's side of example.Chat: answers each line while the client goes on writing, and says goodbye."""

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
