# SPDX-License-Identifier: MIT
"""The command bench/contest/install: packages of all contestants, then each one's build; notes who is missing."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

from harness.installation import reasons
from harness.manifest import Contestant, ManifestError, Places, read_manifests

ROOT = Path(__file__).resolve().parents[3]


def is_installed(package: str) -> bool:
    command = ["dpkg-query", "-W", "-f=${db:Status-Status}", package]
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False).stdout == "installed"
    except OSError:
        return False


def failure(command: tuple[str, ...], log: Path) -> str:
    """Runs a command with its output in a file; the line that tells best why it failed, empty if it did not."""
    with log.open("ab") as out:
        out.write(f"$ {' '.join(command)}\n".encode())
        out.flush()
        begin = out.tell()
        try:
            done = subprocess.run(command, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, check=False)
        except OSError as error:
            return f"{command[0]}: {error.strerror}"
    if done.returncode == 0:
        return ""
    said = log.read_bytes()[begin:].decode(errors="replace").strip().splitlines()
    telling = [line for line in said if "rror" in line or "annot" in line or "orbidden" in line] or said
    return f"{Path(command[0]).name}: {telling[-1].strip() if telling else f'ended with {done.returncode}'}"[:300]


def install_packages(contestants: list[Contestant], log: Path) -> dict[str, str]:
    """Debian's packages, those of one contestant at a time; reasons by contestant."""
    failed = {}
    has_updated = False
    as_root = () if os.geteuid() == 0 else ("sudo",)
    for each in contestants:
        lacking = tuple(package for package in each.packages if not is_installed(package))
        if not lacking:
            continue
        if not has_updated:
            failure((*as_root, "apt-get", "update", "-q"), log)
            has_updated = True
        apt = (
            *as_root,
            "env",
            "DEBIAN_FRONTEND=noninteractive",
            "apt-get",
            "install",
            "-q",
            "-y",
            "--no-install-recommends",
        )
        if reason := failure((*apt, *lacking), log):
            failed[each.name] = f"packages {', '.join(lacking)}: {reason}"
    return failed


def build(each: Contestant, done: dict[tuple[str, ...], str], log: Path) -> str:
    """The reason of the first command that failed; a command that several contestants have runs once."""
    for command in each.build:
        if command not in done:
            done[command] = failure(command, log)
        if done[command]:
            return done[command]
    return ""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="bench/contest/install", description=__doc__)
    parser.add_argument("contestants", nargs="*", metavar="CONTESTANT", help="default: all")
    wanted = set(parser.parse_args(arguments).contestants)
    places = Places(ROOT)
    try:
        found = read_manifests(places)
    except ManifestError as error:
        print(f"install: {error}", file=sys.stderr)
        return 2
    if unknown := wanted - {each.name for each in found}:
        parser.error(f"no contestants {', '.join(sorted(unknown))}; they are {', '.join(each.name for each in found)}")
    chosen = [each for each in found if not wanted or each.name in wanted]
    (places.build / "bin").mkdir(parents=True, exist_ok=True)
    log = places.build / "install.log"
    log.write_bytes(b"")
    missing = {name: reason for name, reason in reasons(places).items() if name not in {each.name for each in chosen}}
    failed = install_packages(chosen, log)
    done: dict[tuple[str, ...], str] = {}
    for each in chosen:
        reason = failed.get(each.name) or build(each, done, log)
        if reason:
            missing[each.name] = reason
        print(f"{each.name}: {f'missing: {reason}' if reason else 'installed'}", flush=True)
    (places.build / "missing.json").write_text(json.dumps(missing, indent=1) + "\n", encoding="utf-8")
    print(f"what was done: {log}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
