# SPDX-License-Identifier: MIT
"""The server's side of example.Chat: answers each line while the client goes on writing, and says goodbye."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import trunkline
from messages import load

ChatMessage: Any = load("05_chat/chat.proto")["ChatMessage"]


def add_chat(server: trunkline.Server) -> None:
    @server.method("example.Chat/Talk")
    def talk(lines: Iterator[ChatMessage]) -> Iterator[ChatMessage]:
        for line in lines:
            said = f"{getattr(line, 'from')} said: {line.text}"
            yield ChatMessage(**{"from": "server", "text": said})
        yield ChatMessage(**{"from": "server", "text": "goodbye"})
