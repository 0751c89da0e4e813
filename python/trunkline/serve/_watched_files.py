# SPDX-License-Identifier: MIT
"""WatchedFiles: detects by polling that files of an application have changed."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from typing import Any

from ._arguments import Arguments

#: The state of a file or folder, which differs after a change.
Mark = tuple[Any, ...]


def files_of_modules(below: Iterable[str]) -> list[str]:
    """Returns the files of imported modules below one of the folders."""
    folders = tuple(os.path.join(os.path.abspath(each), "") for each in below)
    found = set()
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if isinstance(file, str) and os.path.abspath(file).startswith(folders):
            found.add(os.path.abspath(file))
    return sorted(found)


def files_of_target(arguments: Arguments) -> list[str]:
    """Returns the paths where the target's module and the packages that contain it may be."""
    found = []
    path = os.path.abspath(arguments.app_dir)
    for part in arguments.module.split("."):
        path = os.path.join(path, part)
        found += [f"{path}.py", os.path.join(path, "__init__.py")]
    return found


class WatchedFiles:
    """Files, and folders whose set of modules counts, as a missing module may appear there."""

    def __init__(self) -> None:
        self._marks: dict[str, Mark] = {}
        self._changed: set[str] = set()

    def watch(self, paths: Iterable[str], since: float) -> None:
        """Adds paths. ``since``: the ``time.time()`` before they were read; files written later count as changed."""
        for path in paths:
            if path not in self._marks:
                self._marks[path] = mark = _mark_of(path)
                if mark and mark[0] == "file" and mark[1] > since * 1e9:
                    self._changed.add(path)

    def leave_folders(self) -> None:
        """Stops watching folders."""
        self._marks = {path: mark for path, mark in self._marks.items() if mark[:1] != ("folder",)}

    def take_changed(self) -> list[str]:
        """Returns the changed paths and forgets them; an empty list while further changes are being made."""
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
    """Returns the state of a path; empty if it does not exist."""
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
