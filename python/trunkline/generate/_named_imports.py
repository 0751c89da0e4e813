# SPDX-License-Identifier: MIT
"""Imports by name: modules whose names are no identifiers, such as 2fa_pb2, which no import statement can name."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable

#: The pattern of protoc's imports. Names of files may hold spaces and other characters.
_IMPORT = re.compile(r"(?:from (?P<folder>.+?) )?import (?P<name>.+?)(?: as (?P<alias>.+))?")
_LOADED = re.compile(r"(?P<alias>.+?) = (?P<call>importlib\.import_module\((?P<quote>['\"]).+(?P=quote).*\))")
#: The third and fifth line of what protoc writes for a file that another one imports publicly.
_REEXPORTED = re.compile(r"  (?P<alias>.+?) = (?P<base>\w+)\.(?P<name>.+)")
_IMPORTLIB = "import importlib"

#: Returns a module as the other ones of its run import it: relative, or as it is.
Located = Callable[[str], str]


def is_importable(module: str) -> bool:
    """Returns whether an import statement can name the module, which may be relative."""
    parts = module.lstrip(".").split(".")
    return all(part.isidentifier() and not keyword.iskeyword(part) for part in parts)


def _joined(folder: str | None, name: str) -> str:
    return name if folder is None else f"{folder}{name}" if folder.endswith(".") else f"{folder}.{name}"


def _module_of(imported: re.Match[str]) -> str:
    return _joined(imported["folder"], imported["name"])


def _loading(module: str) -> str:
    return f"importlib.import_module({module!r}{', __package__' if module.startswith('.') else ''})"


class _Names:
    """Identifiers in the place of protoc's aliases of modules, which it makes of the modules' names."""

    def __init__(self) -> None:
        self._chosen: dict[str, str] = {}

    def of(self, alias: str) -> str:
        """Returns an identifier of its own for an alias."""
        if alias not in self._chosen:
            name = re.sub(r"\W", "_", alias)
            if not name.isidentifier() or keyword.iskeyword(name):
                name = f"_{name}"
            while name in self._chosen.values():
                name += "_"
            self._chosen[alias] = name
        return self._chosen[alias]

    def applied_to(self, line: str) -> str:
        """Returns a line of code with the identifiers. Lines with serialized definitions stay as they are."""
        if line.startswith("DESCRIPTOR"):
            return line
        for alias in sorted(self._chosen, key=len, reverse=True):
            if alias != self._chosen[alias]:
                line = line.replace(f"{alias}.", f"{self._chosen[alias]}.")
        return line


def with_named_imports(text: str, located: Located) -> str:
    """Returns the text of a module of messages that imports by name what no import statement can name."""
    lines = text.split("\n")
    names = _Names()
    result: list[str] = []

    def load(line: str) -> None:
        if _IMPORTLIB not in result:
            result.append(_IMPORTLIB)
        result.append(line)

    while lines:
        line = lines.pop(0)
        reexported = _REEXPORTED.fullmatch(lines[2]) if line == "try:" and len(lines) > 2 else None
        if reexported is not None and not is_importable(reexported["name"]):
            del lines[:3]
            load(f"{names.of(reexported['alias'])} = {_loading(located(reexported['name']))}")
            continue
        imported, loaded = _IMPORT.fullmatch(line), _LOADED.fullmatch(line)
        if loaded is not None:
            load(f"{names.of(loaded['alias'])} = {loaded['call']}")
        elif imported is not None and imported["name"] == "*" and not is_importable(imported["folder"]):
            everything = f"vars({_loading(imported['folder'])}).items()"
            load(f"globals().update((name, each) for name, each in {everything} if name[0] != '_')")
        elif imported is not None and imported["name"] != "*" and not is_importable(_module_of(imported)):
            module = _module_of(imported)
            load(f"{names.of(imported['alias'] or module)} = {_loading(module)}")
        elif line != _IMPORTLIB or line not in result:
            result.append(names.applied_to(line))
    return "\n".join(result)


def with_named_types(text: str) -> str:
    """Returns the text of a stub in which the types of modules that no import statement can name are any type."""
    result: list[str] = []
    aliases: list[str] = []
    first: int | None = None
    for line in text.split("\n"):
        alias, reexported = _unnameable(line)
        if alias is None and reexported is None:
            result.append(line)
            continue
        first = len(result) if first is None else first
        if alias is not None:
            aliases.append(alias)
        if reexported is not None:
            result.append(f"{reexported} = _Any")
    if first is None:
        return text
    result.insert(first, "from typing import Any as _Any")
    changed = "\n".join(each for each in result if each != _IMPORTLIB)
    for alias in sorted(aliases, key=len, reverse=True):
        changed = re.sub(rf"(?<![\w.]){re.escape(alias)}\.\w[\w.]*", "_Any", changed)
    return changed


def _unnameable(line: str) -> tuple[str | None, str | None]:
    """Returns what a line of a stub takes from a module that no import statement can name: the alias of the module, or
    the name of a type of a file that is imported publicly."""
    if (loaded := _LOADED.fullmatch(line)) is not None:
        return loaded["alias"], None
    if (imported := _IMPORT.fullmatch(line)) is None:
        return None, None
    folder, name, alias = imported.group("folder", "name", "alias")
    if folder is not None and alias is None and folder.endswith("_pb2"):
        return None, None if is_importable(folder) else name
    return None if is_importable(_joined(folder, name)) else alias or name, None
