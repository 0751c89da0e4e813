# SPDX-License-Identifier: MIT
"""
Writes the manual page trunkline(1) from the help of the command itself.

Usage: man_page.py COMMAND VERSION OUTPUT
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

NAME = "trunkline \\- list, call, measure and serve Trunkline servers"
DESCRIPTION = """\
.B trunkline
calls servers from a shell, and shows what they offer and what they are doing.
It finds the methods and messages of a server by reflection, or reads them from files.
Data goes to standard output, and messages go to standard error.
"""
#: The headings of the help for which a manual page has other words.
TITLES = {"Positionals": "Arguments", "Subcommands": "Commands"}


class Section(NamedTuple):
    """A section of a help. ``entries`` has names and descriptions; ``lines`` is other text, unchanged."""

    heading: str
    entries: list[tuple[str, str]]
    lines: list[str]


def help_of(command: Path, words: list[str]) -> str:
    done = subprocess.run(
        [command, *words, "--help"], capture_output=True, text=True, check=True, env={"NO_COLOR": "1", "COLUMNS": "100"}
    )
    return done.stdout


def sections_of(text: str) -> list[Section]:
    """Returns the parts of a command's help. The first one has no heading and says what the command does."""
    found = [Section("", [], [])]
    for line in text.splitlines():
        heading = re.fullmatch(r"\[?([A-Z][\w ():-]*?)\]?:?", line)
        entry = re.match(r"  (\S.*?)(?:  +(\S.*))?$", line)
        usage = re.match(r"Usage: (.*)", line)
        if usage:
            found.append(Section("Usage", [], [usage[1]]))
        elif heading and (line.endswith(":") or line.startswith("[")):
            found.append(Section(heading[1].removeprefix("Option Group: "), [], []))
        elif found[-1].heading in ("", "Usage", "Examples") or not line.startswith(" "):
            if line and not line.startswith(" ") and found[-1].heading not in ("", "Usage"):
                found.append(Section("", [], []))
            found[-1].lines.append(line)
        elif line.startswith("   ") and found[-1].entries:
            name, description = found[-1].entries[-1]
            found[-1].entries[-1] = name, f"{description} {line.strip()}".strip()
        elif entry:
            found[-1].entries.append((entry[1], entry[2] or ""))
    return found


def escaped(text: str) -> str:
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^([.'])", r"\\&\1", text, flags=re.MULTILINE)


def formatted(section: Section) -> Iterator[str]:
    """Formats a section without its heading."""
    for name, description in section.entries:
        if name != "-h,--help":
            yield from (
                ".TP",
                f".B {escaped(name.replace(',--', ', --').removesuffix(' REQUIRED'))}",
                escaped(description),
            )
    lines = "\n".join(section.lines).strip("\n")
    if not lines:
        return
    if section.heading == "Examples":
        yield from (".PP", ".nf", escaped(lines), ".fi")
    else:
        yield from (".PP", escaped(lines))


def commands_of(command: Path, words: list[str]) -> Iterator[list[str]]:
    """Returns the command named by ``words``, and every command below it."""
    if words:
        yield words
    for section in sections_of(help_of(command, words)):
        if section.heading.lower() == "subcommands":
            for name, _ in section.entries:
                yield from commands_of(command, [*words, name.split()[0]])


def page(command: Path, version: str) -> str:
    lines = [f'.TH TRUNKLINE 1 "" "trunkline {version}" "User Commands"', ".SH NAME", NAME]
    lines += [".SH SYNOPSIS", ".B trunkline", ".I COMMAND", "[options]", ".SH DESCRIPTION", DESCRIPTION.rstrip()]
    lines.append(".SH OPTIONS")
    for section in sections_of(help_of(command, [])):
        if section.heading == "Options":
            lines += formatted(section)
    lines.append(".SH COMMANDS")
    for words in commands_of(command, []):
        lines.append(f'.SS "trunkline {escaped(" ".join(words))}"')
        for section in sections_of(help_of(command, words)):
            if section.heading not in ("", "Usage"):
                lines += [".PP", f".I {escaped(TITLES.get(section.heading, section.heading))}:"]
            if section.heading == "Usage":
                lines += [".PP", ".nf", escaped("\n".join(section.lines).strip()), ".fi"]
            else:
                lines += formatted(section)
    lines += [".SH ENVIRONMENT", ".TP", ".B NO_COLOR", "If it is set and not empty, output has no colours."]
    lines += [".SH SEE ALSO", "The documentation of Trunkline: docs/command.md and docs/guide in its sources."]
    return "\n".join(lines) + "\n"


def main(arguments: list[str]) -> int:
    if len(arguments) != 3:
        print(__doc__, file=sys.stderr)
        return 2
    command, version, output = arguments
    Path(output).write_text(page(Path(command), version), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
