# SPDX-License-Identifier: MIT
"""The files that are asked for, and the import roots that they lie in."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from ._tools import GenerationError


class Sources(NamedTuple):
    """Absolute paths."""

    roots: list[Path]
    files: list[Path]


def sources_of(protos: Iterable[str | os.PathLike[str]], roots: Sequence[str | os.PathLike[str]]) -> Sources:
    """``protos``: files, directories, patterns. A directory is an import root unless it lies in one of ``roots``;
    without those, and for files, the current directory is one. Raises GenerationError for what is not there, or in
    no root."""
    found_roots = [_absolute(root) for root in roots]
    for root in found_roots:
        if not root.is_dir():
            raise GenerationError(f"import root {root}: there is no such directory")
    files: dict[Path, None] = {}  # in their order, each once
    single: list[Path] = []
    for proto in protos:
        for path in _matches(os.fspath(proto)):
            if not path.is_dir():
                single.append(path)
                files[path] = None
                continue
            below = sorted(each for each in path.rglob("*.proto") if each.is_file())
            if not below:
                raise GenerationError(f"{path}: there is no .proto file in this directory")
            if not any(path.is_relative_to(root) for root in found_roots):
                found_roots.append(path)
            files.update(dict.fromkeys(below))
    if single and not roots and not all(_is_in(each, found_roots) for each in single):
        found_roots.append(Path.cwd())
    for path in single:
        if not _is_in(path, found_roots):
            raise GenerationError(
                f"{path}: it lies in none of the import roots ({', '.join(map(str, found_roots))}); "
                "name the directory that imports of it are relative to with -I"
            )
    if not files:
        raise GenerationError("no .proto file is given")
    return Sources(found_roots, list(files))


def _absolute(path: str | os.PathLike[str]) -> Path:
    """Without `..`, and as it was written otherwise: protoc compares texts."""
    return Path(os.path.abspath(path))


def _is_in(path: Path, roots: list[Path]) -> bool:
    return any(path.is_relative_to(root) for root in roots)


def _matches(proto: str) -> list[Path]:
    if os.path.exists(proto):
        return [_absolute(proto)]
    found = [_absolute(each) for each in sorted(glob.glob(proto, recursive=True))] if glob.has_magic(proto) else []
    if not found:
        raise GenerationError(f"{proto}: there is no such file")
    return found
