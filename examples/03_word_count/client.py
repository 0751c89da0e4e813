# SPDX-License-Identifier: MIT
"""A client of example.WordCounter: a generator of pieces of text, which waits while the server is behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import trunkline
from generated.word_count_pb2 import Text, WordCount
from generated.word_count_trunkline import WordCounterClient


def pieces_of(path: Path) -> Iterator[Text]:
    with path.open("rb") as file:
        while piece := file.read(16 * 1024):
            yield Text(text=piece)


def count_words(channel: trunkline.Channel, paths: list[Path]) -> bool:
    client = WordCounterClient(channel, timeout=30.0)
    total = WordCount()
    for path in paths:
        counted = client.count(pieces_of(path))
        text = path.read_bytes()
        local = WordCount(lines=text.count(b"\n"), words=len(text.split()), bytes=len(text))
        if counted != local:
            print(f"word count: {path}: the service and a local count differ")
            return False
        total.lines += counted.lines
        total.words += counted.words
        total.bytes += counted.bytes
    print(f"word count: {len(paths)} files, {total.lines} lines, {total.words} words, {total.bytes} bytes")
    return bool(paths)
