# SPDX-License-Identifier: MIT
"""The page of the machine and of the contestants: their versions and settings."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from harness.markdown import rows_of, wrapped

Results = dict[str, Any]


def contestants_page(results: Results) -> Iterator[str]:
    yield "# Machine and contestants"
    yield ""
    yield from wrapped("The setting of the newest run of [the benchmarks](../benchmarks.md).")
    yield from ("", "## Machine", "")
    machine = results["machine"]
    values = ((key.replace("_", " "), value) for key, value in machine.items() if value != "")
    yield from rows_of([["what", "value"], *values], text_columns=2)
    yield from ("", "## Contestants", "")
    rows = [["contestant", "language", "version", "settings", "folder"]]
    for name, about in results["contestants"].items():
        version = f"**missing**: {about['missing']}" if about["missing"] else about["version"]
        link = f"[{name}](../../bench/contest/contestants/{name})"
        rows.append([about["title"], about["language"], version, about["settings"], link])
    yield from rows_of(rows, text_columns=5)
    yield ""
