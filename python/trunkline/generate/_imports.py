# SPDX-License-Identifier: MIT
"""Imports of message modules in generated ones, made to fit: protoc writes them for a directory of sys.path alone."""

from __future__ import annotations

import keyword
import re
from collections.abc import Callable, Iterable
from pathlib import Path, PurePath
from typing import Literal

Imports = Literal["auto", "relative", "absolute"]

#: ``import a_pb2 as a__pb2``; ``import a_pb2``
_PLAIN = re.compile(r"^import (?P<module>\w+)(?= as |$)", re.MULTILINE)
#: ``from a.b import c_pb2 as alias``; ``from a.b.c_pb2 import *``, and the names of stubs
_FROM = re.compile(r"^from (?P<folder>\w[\w.]*) import (?P<name>\w+|\*)", re.MULTILINE)
#: What has a keyword in its name: ``alias = importlib.import_module('a.class.b_pb2')``
_BY_NAME = re.compile(
    r"^(?P<alias>\w+ = )importlib\.import_module\((?P<quote>['\"])(?P<module>[\w.]+)['\"]\)", re.MULTILINE
)
#: ``from a.class.b_pb2 import *``, which protoc writes for public imports in any case
_ALL = re.compile(r"^from (?P<module>[\w.]+) import \*", re.MULTILINE)

#: Below google/protobuf; what protobuf's runtime brings is imported from there.
_OF_RUNTIME = frozenset(
    f"google.protobuf.{name}_pb2"
    for name in (
        "any api compiler.plugin descriptor duration empty field_mask json_enumvalue_options json_options "
        "source_context struct timestamp type wrappers"
    ).split()
)


def is_package(folder: Path) -> bool:
    """Whether it is, or lies in, a package, as far as files say."""
    absolute = folder.resolve()
    return any((each / "__init__.py").is_file() for each in (absolute, *absolute.parents))


def module_of(file: PurePath) -> str:
    """Of the messages of ``file``, which is named as .proto files import it; by the name that protoc imports it by."""
    return ".".join(file.with_suffix("").parts).replace("-", "_") + "_pb2"


def is_of_runtime(file: PurePath) -> bool:
    """Whether it is a module, or its stub, that protobuf's runtime has."""
    return ".".join(file.with_suffix("").parts) in _OF_RUNTIME


class OwnModules:
    """The message modules that lie below the output directory: those of this run's files, and those of runs before."""

    def __init__(self, files: Iterable[PurePath], out: Path) -> None:
        self._generated = frozenset(map(module_of, files))
        self._out = out

    def __contains__(self, module: str) -> bool:
        if not module.endswith("_pb2") or module in _OF_RUNTIME:
            return False
        return module in self._generated or self._out.joinpath(*module.split(".")).with_suffix(".py").is_file()


def with_relative_imports(text: str, file: PurePath, modules: OwnModules) -> str:
    """The text of ``file``, a module or its stub, named from the output directory on, whose imports of ``modules`` are
    relative; the rest is as it was."""
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


def with_keywords(text: str) -> str:
    """The text of a module whose public imports are Python also where a keyword is in a module's name."""

    def all_of(found: re.Match[str]) -> str:
        module = found["module"]
        parts = module.split(".")
        if not any(map(keyword.iskeyword, parts)):
            return found[0]
        relative = ", __package__" if module.startswith(".") else ""
        loaded = f"importlib.import_module('{module}'{relative})"  # importlib is there: it has been imported so before
        return f"globals().update((name, each) for name, each in vars({loaded}).items() if name[0] != '_')"

    return _in_head(text, lambda head: _ALL.sub(all_of, head))


def _in_head(text: str, change: Callable[[str], str]) -> str:
    """Where imports are: before the first class."""
    end = text.find("\nclass ") + 1 or len(text)
    return change(text[:end]) + text[end:]


def _relative(package: tuple[str, ...], target: tuple[str, ...]) -> str:
    """``target`` as seen from a module of ``package``: ``..b`` for a.b from a.c."""
    shared = 0
    while shared < min(len(package), len(target)) and package[shared] == target[shared]:
        shared += 1
    return "." * (1 + len(package) - shared) + ".".join(target[shared:])
