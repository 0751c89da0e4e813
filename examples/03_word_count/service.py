# SPDX-License-Identifier: MIT
"""The service example.WordCounter: reads the stream and responds at its end."""

from __future__ import annotations

from collections.abc import Iterator

import trunkline
from generated.word_count_pb2 import Text, WordCount
from generated.word_count_trunkline import WordCounterService


class Reader(WordCounterService):
    def count(self, requests: Iterator[Text], context: trunkline.Context) -> WordCount:
        result = WordCount()
        in_word = False
        for piece in requests:
            text = piece.text
            result.bytes += len(text)
            result.lines += text.count(b"\n")
            words = len(text.split())
            # A word that began in the previous piece has been counted there.
            if in_word and text and not text[:1].isspace():
                words -= 1
            result.words += words
            if text:
                in_word = not text[-1:].isspace()
        return result


def add_word_count(server: trunkline.Server) -> None:
    server.add_service(Reader())
