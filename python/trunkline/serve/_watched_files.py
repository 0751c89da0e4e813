# SPDX-License-Identifier: MIT
"""WatchedFiles: notices that files of an application have changed, by looking at them now and then."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from typing import Any

from ._arguments import Arguments

#: Of a file or folder; what differs once it has changed.
Mark = tuple[Any, ...]


def files_of_modules(below: Iterable[str]) -> list[str]:
    """Those that have been imported from folders below one of these."""
    folders = tuple(os.path.join(os.path.abspath(each), "") for each in below)
    found = set()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.abspath(file).startswith(folders):
            found.add(os.path.abspath(file))
    return sorted(found)


def files_of_target(arguments: Arguments) -> list[str]:
    """Where its module and the packages around that may be."""
    found = []
    path = os.path.abspath(arguments.app_dir)
    for part in arguments.module.split("."):
        path = os.path.join(path, part)
        found += [f"{path}.py", os.path.join(path, "__init__.py")]
    return found


class WatchedFiles:
    """Files, and which modules there are in folders, where one that is missing may appear."""

    def __init__(self) -> None:
        self._marks: dict[str, Mark] = {}
        self._changed: set[str] = set()

    def watch(self, paths: Iterable[str], since: float) -> None:
        """``since``: when they began to be read, by ``time.time()``; what has been written later has changed."""
        for path in paths:
            if path not in self._marks:
                self._marks[path] = mark = _mark_of(path)
                if mark and mark[0] == "file" and mark[1] > since * 1e9:
                    self._changed.add(path)

    def leave_folders(self) -> None:
        self._marks = {path: mark for path, mark in self._marks.items() if mark[:1] != ("folder",)}

    def take_changed(self) -> list[str]:
        """What has changed, once nothing more has since the last look; then it is forgotten."""
        is_quiet = True
        for path, mark in list(self._marks.items()):
            now = _mark_of(path)
            if now != mark:
                self._marks[path] = now
                self._changed.add(path)
                is_quiet = False
        if not is_quiet:
            return []
        changed, self._changed = sorted(self._changed), set()
        return changed


def _mark_of(path: str) -> Mark:
    """Empty for what is not there."""
    with contextlib.suppress(OSError):
        status = os.stat(path)
        if not os.path.isdir(path):
            return ("file", status.st_mtime_ns, status.st_size, status.st_ino)
        with os.scandir(path) as entries:
            return ("folder", *sorted(entry.name for entry in entries if _is_module(entry)))
    return ()


def _is_module(entry: os.DirEntry[str]) -> bool:
    name, dot, kind = entry.name.partition(".")
    if dot:
        return kind == "py"
    return name.isidentifier() and name != "__pycache__" and entry.is_dir()
