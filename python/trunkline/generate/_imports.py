# SPDX-License-Identifier: MIT
"""Adapts the imports of generated modules to their package: protoc writes them for a directory of sys.path only."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import Literal

Imports = Literal["auto", "relative", "absolute"]

#: The pattern of ``import a_pb2 as a__pb2`` and ``import a_pb2``. Names of files may hold spaces and other characters.
_PLAIN = re.compile(r"^import (?P<module>[^\n.][^\n]*?)(?= as |$)", re.MULTILINE)
#: The pattern of ``from a.b import c_pb2 as alias``, of ``from a.b.c_pb2 import *``, and of the names of stubs.
_FROM = re.compile(r"^from (?P<folder>[^\n.][^\n]*?) import (?P<name>[^\n]+?)(?= as |$)", re.MULTILINE)
#: The pattern of a module with a keyword in its name: ``alias = importlib.import_module('a.class.b_pb2')``.
_BY_NAME = re.compile(
    r"^(?P<alias>[^\n]+? = )importlib\.import_module\((?P<quote>['\"])(?P<module>[^\n'\"]+)['\"]\)", re.MULTILINE
)

#: Modules of protobuf's runtime below google/protobuf, which are imported from there.
_OF_RUNTIME = frozenset(
    f"google.protobuf.{name}_pb2"
    for name in (
        "any api compiler.plugin descriptor duration empty field_mask json_enumvalue_options json_options "
        "source_context struct timestamp type wrappers"
    ).split()
)


def is_package(folder: Path) -> bool:
    """Returns whether the folder is a package or lies in one: it or a parent has an ``__init__.py``. No package reaches
    below a folder whose name is no identifier, so it ignores an ``__init__.py`` that stands above that."""
    absolute = folder.resolve()
    if (absolute / "__init__.py").is_file():
        return True
    for each in (absolute, *absolute.parents):
        if not each.name.isidentifier():
            return False
        if (each / "__init__.py").is_file():
            return True
    return False


def module_of(file: PurePath) -> str:
    """Returns the name by which protoc imports the messages of ``file``, a path as .proto files import it."""
    return ".".join(file.with_suffix("").parts).replace("-", "_") + "_pb2"


def is_of_runtime(file: PurePath) -> bool:
    """Returns whether it is a module of protobuf's runtime, or its stub."""
    return ".".join(file.with_suffix("").parts) in _OF_RUNTIME


class OwnModules:
    """The message modules below the output directory: those of this run and those of earlier runs."""

    def __init__(self, files: Iterable[PurePath], out: Path) -> None:
        self._generated = frozenset(map(module_of, files))
        self._out = out

    def __contains__(self, module: str) -> bool:
        if not module.endswith("_pb2") or module in _OF_RUNTIME:
            return False
        return module in self._generated or self._out.joinpath(*module.split(".")).with_suffix(".py").is_file()


def with_relative_imports(text: str, file: PurePath, modules: OwnModules) -> str:
    """Returns ``text`` with relative imports of ``modules``. ``file`` is relative to the output directory."""
    package = file.parent.parts

    def plain(found: re.Match[str]) -> str:
        module = found["module"]
        if module not in modules:
            return found[0]
        return f"from {_relative(package, ())} import {module}"

    def named(found: re.Match[str]) -> str:
        folder, name = found["folder"], found["name"]
        if folder in modules or f"{folder}.{name}" in modules:
            return f"from {_relative(package, tuple(folder.split('.')))} import {name}"
        return found[0]

    def by_name(found: re.Match[str]) -> str:
        module, quote = found["module"], found["quote"]
        if module not in modules:
            return found[0]
        target = _relative(package, tuple(module.split(".")))
        return f"{found['alias']}importlib.import_module({quote}{target}{quote}, __package__)"

    return _in_head(text, lambda head: _BY_NAME.sub(by_name, _FROM.sub(named, _PLAIN.sub(plain, head))))


def located(module: str, file: PurePath, modules: OwnModules) -> str:
    """Returns a module of ``modules`` relative to ``file``, and another one as it is."""
    return _relative(file.parent.parts, tuple(module.split("."))) if module in modules else module


def _in_head(text: str, change: Callable[[str], str]) -> str:
    """Applies ``change`` to the part with the imports: before the first class."""
    end = text.find("\nclass ") + 1 or len(text)
    return change(text[:end]) + text[end:]


def _relative(package: tuple[str, ...], target: tuple[str, ...]) -> str:
    """Returns ``target`` relative to a module of ``package``: ``..b`` for a.b in a.c."""
    shared = 0
    while shared < min(len(package), len(target)) and package[shared] == target[shared]:
        shared += 1
    return "." * (1 + len(package) - shared) + ".".join(target[shared:])
