# SPDX-License-Identifier: MIT
"""The server's side of example.WordCount: reads the stream and answers at its end."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import trunkline
from messages import load

_messages = load("03_word_count/word_count.proto")
Text: Any = _messages["Text"]
WordCount: Any = _messages["WordCount"]


def add_word_count(server: trunkline.Server) -> None:
    @server.method("example.WordCount/Count")
    def count(pieces: Iterator[Text]) -> WordCount:
        result = WordCount()
        in_word = False
        for piece in pieces:
            text = piece.text
            result.bytes += len(text.encode())
            result.lines += text.count("\n")
            words = len(text.split())
            # A word that goes on from the piece before has been counted there.
            if in_word and text and not text[0].isspace():
                words -= 1
            result.words += words
            if text:
                in_word = not text[-1].isspace()
        return result
