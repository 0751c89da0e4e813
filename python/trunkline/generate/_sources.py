# SPDX-License-Identifier: MIT
"""Sources: the .proto files to generate from, and their import roots."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePath
from typing import NamedTuple

from ._tools import GenerationError


#: The parts of names that would end a text or a statement in generated modules.
_UNSPEAKABLE = re.compile(r"['\"\\=\x00-\x1f\x7f]| as | import ")


class Sources(NamedTuple):
    """.proto files and import roots, as absolute paths."""

    roots: list[Path]
    files: list[Path]

    def names(self) -> list[PurePath]:
        """Returns the files relative to their roots, as import statements name them."""
        return [next(file.relative_to(root) for root in self.roots if file.is_relative_to(root)) for file in self.files]


def sources_of(protos: Iterable[str | os.PathLike[str]], roots: Sequence[str | os.PathLike[str]]) -> Sources:
    """``protos``: files, directories and patterns. A directory is an import root unless it lies in one of ``roots`` or
    in another given directory. Without ``roots`` the current directory is an import root for files.

    Raises GenerationError for files that do not exist or lie in no root.
    """
    found_roots = [_absolute(root) for root in roots]
    for root in found_roots:
        if not root.is_dir():
            raise GenerationError(f"import root {root}: there is no such directory")
    matches = [path for proto in protos for path in _matches(os.fspath(proto))]
    folders = [path for path in dict.fromkeys(matches) if path.is_dir()]
    files: dict[Path, None] = {}  # a set that keeps the order
    for path in matches:
        files.update(dict.fromkeys(_files_below(path) if path in folders else [path]))
    for folder in folders:
        if not _is_in(folder, [*found_roots, *(each for each in folders if each != folder)]):
            found_roots.append(folder)
    single = [path for path in matches if path not in folders]
    if single and not roots and not all(_is_in(each, found_roots) for each in single):
        found_roots.append(Path.cwd())
    _check_roots(found_roots, single)
    if not files:
        raise GenerationError("no .proto file is given")
    sources = Sources(found_roots, list(files))
    for file, name in zip(sources.files, sources.names()):
        if _UNSPEAKABLE.search(str(name)):
            raise GenerationError(f"{file}: no module can have this name; rename the file")
    return sources


def _check_roots(roots: list[Path], single: list[Path]) -> None:
    for root in roots:
        if os.pathsep in str(root) or "=" in str(root):
            raise GenerationError(f"import root {root}: protoc accepts no path with {os.pathsep!r} or '='")
    for path in single:
        if not _is_in(path, roots):
            raise GenerationError(
                f"{path}: it is in none of the import roots ({', '.join(map(str, roots))}); "
                "pass the directory that imports of it are relative to with -I"
            )


def _files_below(folder: Path) -> list[Path]:
    """Returns the .proto files below a folder. Hidden folders are skipped."""
    found: list[Path] = []
    for name, folders, files in os.walk(folder):
        folders[:] = [each for each in folders if not each.startswith(".")]
        found += [Path(name, each) for each in files if each.endswith(".proto") and not each.startswith(".")]
    if not found:
        raise GenerationError(f"{folder}: there is no .proto file in this directory")
    return sorted(found)


def _absolute(path: str | os.PathLike[str]) -> Path:
    """Removes `..` but resolves no links, as protoc compares paths as text."""
    return Path(os.path.abspath(path))


def _is_in(path: Path, roots: list[Path]) -> bool:
    return any(path.is_relative_to(root) for root in roots)


def _matches(proto: str) -> list[Path]:
    """Returns the paths that a file name, directory or pattern stands for. A pattern matches .proto files only."""
    if os.path.exists(proto):
        return [_absolute(proto)]
    if not glob.has_magic(proto):
        raise GenerationError(f"{proto}: there is no such file")
    found = [each for each in sorted(glob.glob(proto, recursive=True)) if each.endswith(".proto")]
    files = [_absolute(each) for each in found if os.path.isfile(each)]
    if not files:
        raise GenerationError(f"{proto}: there is no such .proto file")
    return files
