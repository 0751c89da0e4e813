# SPDX-License-Identifier: MIT
"""Documents name types, files and folders that exist. Links between pages are checked by scripts/docs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from .pages import ROOT

#: Written in documents as code, and declared elsewhere than in the tree's own sources.
OUTSIDE = {"PascalCase"}
FOLDERS = ("bench", "cmake", "docs", "examples", "include", "js", "proto", "python", "scripts", "src", "tests")


def spans(document: Path) -> list[str]:
    """Returns the texts between single backticks, outside of fenced blocks."""
    text = re.sub(r"^```.*?^```$", "", document.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    return re.findall(r"`([^`\n]+)`", text)


@pytest.mark.parametrize("name", ["docs/architecture.md", "CONTRIBUTING.md", "docs/services.md", "README.md"])
def test_paths_in_documents_exist(name: str) -> None:
    paths = [span for span in spans(ROOT / name) if re.fullmatch(rf"({'|'.join(FOLDERS)})/[\w./-]*", span)]

    assert [path for path in paths if not (ROOT / path).exists()] == []


def test_types_in_the_architecture_exist() -> None:
    names = {re.split(r"::|\.", span)[-1] for span in spans(ROOT / "docs/architecture.md")}
    types = {name for name in names if re.fullmatch(r"[A-Z][a-z]+[A-Za-z]*", name)} - OUTSIDE
    sources = [*(ROOT / "src").rglob("*.h"), *(ROOT / "include").rglob("*.h"), *(ROOT / "python").rglob("*.h")]
    declared = set()
    for path in sources:
        declared |= set(re.findall(r"\b(?:class|struct|enum class)\s+(?:\w+_API\s+)?(\w+)", path.read_text()))
    python = "\n".join(path.read_text() for path in (ROOT / "python/trunkline").rglob("*.py"))

    assert {name for name in types if name not in declared and f"class {name}" not in python} == set()
