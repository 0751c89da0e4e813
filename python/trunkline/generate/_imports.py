# SPDX-License-Identifier: MIT
"""Imports of generated message modules, made relative: protoc writes them for a directory of sys.path alone."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from pathlib import Path, PurePath
from typing import Literal

Imports = Literal["auto", "relative", "absolute"]

#: ``import a_pb2 as a__pb2``; ``import a_pb2``
_PLAIN = re.compile(r"^import (?P<module>\w+)(?= as |$)", re.MULTILINE)
#: ``from a.b import c_pb2 as alias``; ``from a.b.c_pb2 import *``, and the names of stubs
_FROM = re.compile(r"^from (?P<folder>[\w.]+) import (?P<name>\w+|\*)", re.MULTILINE)
#: What has a keyword in its name: ``alias = importlib.import_module('a.class.b_pb2')``
_BY_NAME = re.compile(r"^(?P<alias>\w+ = )importlib\.import_module\('(?P<module>[\w.]+)'\)", re.MULTILINE)


def is_package(folder: Path) -> bool:
    """Whether it is, or lies in, a package, as far as files say."""
    absolute = folder.resolve()
    return any((each / "__init__.py").is_file() for each in (absolute, *absolute.parents))


def modules_of(files: Iterable[PurePath]) -> frozenset[str]:
    """The message modules among generated files, by the names that protoc's imports have for them. What protobuf's
    runtime brings is left out: it is imported from there."""
    names = (".".join(file.with_suffix("").parts) for file in files if file.name.endswith("_pb2.py"))
    return frozenset(name for name in names if not name.startswith("google.protobuf."))


def with_relative_imports(text: str, file: PurePath, modules: Collection[str]) -> str:
    """The text of ``file``, a message module or its stub, whose imports of ``modules`` are relative; the rest is as it
    was. Both are named from the output directory on."""
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
        module = found["module"]
        if module not in modules:
            return found[0]
        return f"{found['alias']}importlib.import_module('{_relative(package, tuple(module.split('.')))}', __package__)"

    return _BY_NAME.sub(by_name, _FROM.sub(named, _PLAIN.sub(plain, text)))


def _relative(package: tuple[str, ...], target: tuple[str, ...]) -> str:
    """``target`` as seen from a module of ``package``: ``..b`` for a.b from a.c."""
    shared = 0
    while shared < min(len(package), len(target)) and package[shared] == target[shared]:
        shared += 1
    return "." * (1 + len(package) - shared) + ".".join(target[shared:])
