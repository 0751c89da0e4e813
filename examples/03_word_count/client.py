# SPDX-License-Identifier: MIT
"""The client's side of example.WordCount: a generator of pieces, which waits while the server is behind."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import trunkline
from messages import load

_messages = load("03_word_count/word_count.proto")
Text: Any = _messages["Text"]
WordCount: Any = _messages["WordCount"]


def pieces_of(path: Path) -> Iterator[Any]:
    with path.open(encoding="utf-8") as file:
        while piece := file.read(16 * 1024):
            yield Text(text=piece)


def count_words(channel: trunkline.Channel, paths: list[Path]) -> bool:
    total = WordCount()
    for path in paths:
        counted = channel.client_stream(
            "example.WordCount/Count", pieces_of(path), WordCount, request=Text, timeout=30.0
        )
        text = path.read_text(encoding="utf-8")
        local = WordCount(lines=text.count("\n"), words=len(text.split()), bytes=len(text.encode()))
        if counted != local:
            print(f"word count: {path}: the service and a local count differ")
            return False
        total.lines += counted.lines
        total.words += counted.words
        total.bytes += counted.bytes
    print(f"word count: {len(paths)} files, {total.lines} lines, {total.words} words, {total.bytes} bytes")
    return bool(paths)
