# SPDX-License-Identifier: MIT
"""Writes files together: all of them or none."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePath

from ._tools import GenerationError


@contextlib.contextmanager
def temporary_folder(out: Path) -> Iterator[Path]:
    """Yields a temporary folder on the file system of ``out``, so that files can be renamed into place. ``out`` need
    not exist. The folder is removed at the end."""
    nearest = out
    while not nearest.exists() and nearest != nearest.parent:
        nearest = nearest.parent
    if not nearest.is_dir():
        raise GenerationError(f"output directory {out}: {nearest} is not a directory")
    try:
        folder = tempfile.TemporaryDirectory(prefix=".trunkline-generate-", dir=nearest)
    except OSError as error:
        raise _unwritable(out, error) from error
    with folder as name:
        yield Path(name)


def write_all(texts: Mapping[PurePath, str], out: Path, temporary: Path) -> list[Path]:
    """Writes each text to its path below ``out`` unless the file holds it already. Returns the paths that have changed.
    If one cannot be written, all files are restored."""
    before: dict[Path, bytes | None] = {}
    made: list[Path] = []
    try:
        for name, text in texts.items():
            target, data = out / name, text.encode()
            old = target.read_bytes() if target.exists() else None
            if old == data:
                continue
            made += [each for each in reversed(target.parents) if not each.exists()]
            target.parent.mkdir(parents=True, exist_ok=True)
            fresh = temporary / "written"
            fresh.write_bytes(data)
            before[target] = old
            os.replace(fresh, target)
    except BaseException as error:  # KeyboardInterrupt too
        _restore(before, made)
        if isinstance(error, OSError):
            raise _unwritable(out, error) from error
        raise
    return list(before)


def _restore(before: Mapping[Path, bytes | None], made: list[Path]) -> None:
    for target, old in before.items():
        with contextlib.suppress(OSError):
            target.unlink(missing_ok=True) if old is None else target.write_bytes(old)
    for folder in reversed(made):
        with contextlib.suppress(OSError):
            folder.rmdir()


def _unwritable(out: Path, error: OSError) -> GenerationError:
    return GenerationError(f"output directory {out}: it cannot be written to: {error}")
