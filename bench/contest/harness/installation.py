# SPDX-License-Identifier: MIT
"""What is there of a contestant, why something is not, and what a run needs beside it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterable
from pathlib import Path

from harness.manifest import Contestant, Places


def reasons(places: Places) -> dict[str, str]:
    """What bench/contest/install has noted of those that it could not install."""
    try:
        noted = json.loads((places.build / "missing.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return {str(name): str(reason) for name, reason in noted.items()}


def missing_contestants(contestants: Iterable[Contestant], places: Places) -> dict[str, str]:
    noted = reasons(places)
    missing = {}
    for each in contestants:
        lacking = [need for need in each.needs if not Path(need).exists() and shutil.which(need) is None]
        if each.name in noted:
            missing[each.name] = noted[each.name]
        elif lacking:
            missing[each.name] = f"{Path(lacking[0]).name} is not there: run bench/contest/install"
        elif reason := next(filter(None, (failure_of(check, each) for check in each.checks)), ""):
            missing[each.name] = reason
    return missing


def failure_of(command: tuple[str, ...], contestant: Contestant) -> str:
    """The last line of what a command says as it fails; empty if it succeeds."""
    environment = {**os.environ, **contestant.environment}
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    except OSError as error:
        return f"{command[0]}: {error.strerror}"
    lines = (done.stderr.strip() or done.stdout.strip()).splitlines()
    if done.returncode == 0:
        return ""
    return lines[-1].strip() if lines else f"{' '.join(command)} ended with {done.returncode}"


def certificate(places: Places) -> tuple[Path, Path]:
    """A self-signed certificate of localhost and its key, made once."""
    folder = places.build / "tls"
    files = folder / "certificate.pem", folder / "key.pem"
    if not all(file.exists() for file in files):
        folder.mkdir(parents=True, exist_ok=True)
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:P-256",
                "-nodes",
                "-days",
                "3650",
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout",
                str(files[1]),
                "-out",
                str(files[0]),
            ],
            check=True,
            capture_output=True,
        )
    return files
