# SPDX-License-Identifier: MIT
"""Finds and runs protoc and its plugin."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import signal
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

from .. import __version__

PLUGIN = "protoc-gen-trunkline"


class GenerationError(Exception):
    """Nothing has been generated. ``status``: the exit status of a failed protoc, which has printed its errors to
    standard error; otherwise None."""

    def __init__(self, text: str, status: int | None = None) -> None:
        super().__init__(text)
        self.status = status


def _run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, text=True, **options)
    except OSError as error:
        raise GenerationError(f"{command[0]}: it cannot be run: {error}") from error


def _named(kind: str, chosen: str | os.PathLike[str]) -> str:
    found = shutil.which(chosen)
    if found is None:
        raise GenerationError(f"{kind} {os.fspath(chosen)!r}: there is no such program")
    return os.path.abspath(found)


def protoc_command(chosen: str | os.PathLike[str] | None) -> list[str]:
    """Returns the command of ``chosen``, or of protoc in PATH, or of the one in grpcio-tools."""
    if chosen is not None:
        return [_named("protoc", chosen)]
    found = shutil.which("protoc")
    if found is not None:
        return [os.path.abspath(found)]
    if _is_installed("grpc_tools.protoc"):
        return [sys.executable, "-m", "grpc_tools.protoc"]
    raise GenerationError(
        "find protoc: it is not in PATH, and the package grpcio-tools, which contains it, is not installed; "
        "install either, or pass its path with --protoc"
    )


def _is_installed(module: str) -> bool:
    try:
        return importlib.util.find_spec(module) is not None
    except ImportError:  # its package is missing
        return False


def plugin_path(chosen: str | os.PathLike[str] | None) -> str:
    """Returns ``chosen``, or the plugin installed with this package, or the one in PATH. Its version must be that of
    the package."""
    plugin = _installed_plugin() if chosen is None else _named("plugin", chosen)
    _check_version(plugin)
    return plugin


def _installed_plugin() -> str:
    folders = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", f"{os.name}_user")]
    found = shutil.which(PLUGIN, path=os.pathsep.join(folders)) or shutil.which(PLUGIN)
    if found is None:
        raise GenerationError(
            f"find {PLUGIN}: it is neither in {folders[0]}, where the package trunkline installs it, nor in PATH; "
            "pass its path with --plugin"
        )
    return os.path.abspath(found)


def _check_version(plugin: str) -> None:
    done = _run([plugin, "--version"], capture_output=True)
    version = re.search(r"\d+\.\d+\S*", done.stdout)
    if done.returncode != 0 or version is None:
        raise GenerationError(f"plugin {plugin}: it prints no version, so it is not {PLUGIN}")
    if version.group() != __version__:
        raise GenerationError(
            f"plugin {plugin}: its version is {version.group()}, but that of this package is {__version__}; "
            "install the same version of both"
        )


def run_protoc(protoc: list[str], arguments: list[str], folder: Path) -> None:
    """Runs protoc in ``folder``. Its messages go to standard error."""
    status = _run([*protoc, *arguments], cwd=folder).returncode
    if status < 0:  # it could not print that itself
        raise GenerationError(f"protoc was terminated by signal {-status} ({_signal_name(-status)})")
    if status > 0:
        raise GenerationError(f"protoc has failed with status {status}", status)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:  # a real-time signal
        return "without a name"


def knows_stubs(protoc: list[str]) -> bool:
    """Returns whether protoc can write ``.pyi`` files."""
    return "--pyi_out" in _run([*protoc, "--help"], capture_output=True).stdout
