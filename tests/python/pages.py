# SPDX-License-Identifier: MIT
"""
The programs that documents show, and what they print.

Needs nothing but the standard library, because the build runs it as a script to get the C++ programs:
    pages.py separate DOCUMENT FOLDER       writes program_N.cpp, and definitions under the names in their first lines
    pages.py together FOLDER DOCUMENT...    writes programs.cpp, whose argument names a page, and the pages' outputs
Both print the names of what they have written, separated by semicolons.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
GUIDE = ROOT / "docs/guide"


class Block(NamedTuple):
    """A fenced block of a document."""

    language: str
    text: str


class Program(NamedTuple):
    """``output``: the next block of text after it; None if there is none."""

    text: str
    output: str | None


def blocks(document: Path) -> list[Block]:
    found = re.findall(r"^```(\w*)\n(.*?)^```$", document.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    return [Block(language, text) for language, text in found]


def programs(document: Path, language: str) -> list[Program]:
    """Returns the programs in the order in which the document shows them. Programs of several languages may share one
    output."""
    found = blocks(document)
    outputs: list[str | None] = []
    following: str | None = None
    for block in reversed(found):
        if block.language == "text":
            following = block.text
        outputs.insert(0, following)
    return [
        Program(block.text, output)
        for block, output in zip(found, outputs, strict=True)
        if block.language == language
    ]


def write_changed(path: Path, text: str) -> None:
    """Writes a file unless it has this text already, so that it is not compiled again."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def write_separate(document: Path, folder: Path) -> list[str]:
    names = []
    for number, program in enumerate(programs(document, "cpp"), 1):
        names.append(f"program_{number}.cpp")
        write_changed(folder / names[-1], program.text)
    for block in blocks(document):
        if block.language == "proto":
            name = re.match(r"// ([a-z_]+\.proto)\n", block.text)
            if name is None:
                raise ValueError(f"{document}: the first line of a definition is not its file's name")
            names.append(name[1])
            write_changed(folder / names[-1], block.text)
    return names


def write_together(folder: Path, documents: list[Path]) -> list[str]:
    """Writes all programs as one translation unit, each in a namespace of its own."""
    includes: set[str] = set()
    bodies, calls, pages = [], [], []
    for document in documents:
        shown = programs(document, "cpp")
        if len(shown) != 1 or shown[0].output is None:
            raise ValueError(f"{document}: a page of the guide shows one C++ program and what it prints")
        page = document.stem
        pages.append(page)
        namespace = page.replace("-", "_")
        includes.update(re.findall(r"^#include <.*>$", shown[0].text, re.MULTILINE))
        body = re.sub(r"^#include <.*>\n", "", shown[0].text, flags=re.MULTILINE).strip()
        bodies.append(f"namespace guide::{namespace} {{\n\n{body}\n\n}}  // namespace guide::{namespace}\n")
        calls.append(f'  if (page == "{page}") return guide::{namespace}::main();\n')
        write_changed(folder / f"{page}.txt", shown[0].output)
    main = (
        "int main(int count, char** arguments) {\n"
        '  const std::string page = count == 2 ? arguments[1] : "";\n'
        f'{"".join(calls)}  std::cerr << "there is no page \'" << page << "\'\\n";\n  return 2;\n}}\n'
    )
    includes.update(("#include <iostream>", "#include <string>"))
    text = "\n".join([*sorted(includes, key=lambda line: ("trunkline/" not in line, line)), "", *bodies, main])
    write_changed(folder / "programs.cpp", text)
    return pages


def main(arguments: list[str]) -> int:
    if len(arguments) == 3 and arguments[0] == "separate":
        names = write_separate(Path(arguments[1]), Path(arguments[2]))
    elif len(arguments) > 2 and arguments[0] == "together":
        names = write_together(Path(arguments[1]), [Path(each) for each in arguments[2:]])
    else:
        print(__doc__, file=sys.stderr)
        return 2
    print(";".join(names), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
