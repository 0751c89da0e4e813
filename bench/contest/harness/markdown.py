# SPDX-License-Identifier: MIT
"""Pieces of Markdown: tables, folded sections and wrapped paragraphs."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

#: Prose is wrapped at this column.
COLUMNS = 120


def escaped(text: object) -> str:
    return str(text).replace("|", "\\|").replace("\n", " ")


def wrapped(text: str, *, indent: str = "") -> Iterator[str]:
    """A paragraph; lines after the first start with ``indent``. Neither words nor links are broken."""
    # A link's text stays on one line: no-break spaces hold it together meanwhile.
    joined = re.sub(r"\[[^]]*\]\(", lambda link: link[0].replace(" ", "\xa0"), text)
    lines = textwrap.wrap(joined, COLUMNS, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    yield from (line.replace("\xa0", " ") for line in lines)


def rows_of(rows: Iterable[Iterable[object]], *, text_columns: int = 1) -> Iterator[str]:
    """A table whose first row is its head. The first ``text_columns`` columns are text, the others are numbers."""
    for index, row in enumerate(rows):
        cells = [escaped(cell) for cell in row]
        yield "| " + " | ".join(cells) + " |"
        if index == 0:
            yield "|" + "---|" * text_columns + "---:|" * (len(cells) - text_columns)


def folded(summary: str, lines: Iterable[str]) -> Iterator[str]:
    yield f"<details><summary>{summary}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"
    yield ""
