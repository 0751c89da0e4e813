#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs attacks against the programs of a build, and prints a line for each: README.md says what is in it.

Usage: run.py --programs FOLDER [--full] [--sanitized] [ATTACK...]

Code 1: a bound does not hold. Code 77: the build lacks what the attacks need.
"""

import argparse
import importlib
import pathlib
import resource
import signal
import sys

from target import (
    DEFAULT_KEPT_BYTES,
    Broken,
    ClientTarget,
    ConnectClientTarget,
    GrpcClientTarget,
    ServerTarget,
    Size,
    Skipped,
    WebSocketClientTarget,
)

FOLDER = pathlib.Path(__file__).resolve().parent
TARGETS = {
    "server": ServerTarget,
    "client": ClientTarget,
    "grpc_client": GrpcClientTarget,
    "connect_client": ConnectClientTarget,
    "websocket_client": WebSocketClientTarget,
}
"""By SIDE of an attack."""
LONGEST = 150
"""Seconds after which report() gives an attack up."""


# Attackers open many connections, and the programs inherit the limit.
resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)


def names():
    return sorted(path.stem for path in (FOLDER / "attacks").glob("*.py"))


def given_up(*_):
    raise TimeoutError(f"not over after {LONGEST} s")


def run(name, folder, size, has_bounds):
    """The row of the table: a dictionary. Raises Broken and Skipped."""
    module = importlib.import_module(f"attacks.{name}")
    kind = TARGETS[getattr(module, "SIDE", "server")]
    target = kind(folder, size, has_bounds, getattr(module, "OPTIONS", {}))
    row = {"attack": name, "title": module.__doc__.strip().splitlines()[0].rstrip("."), "skipped": None}
    try:
        for feature in getattr(module, "NEEDS", ()):
            target.needs(feature)
        measure(module, target, row)
    except Skipped as reason:
        row["skipped"] = str(reason)
    finally:
        target.kill()
    row["notes"], row["broken"] = target.notes, target.broken
    return row


def measure(module, target, row):
    target.begin()
    try:
        module.attack(target)
        # While the attackers are still there.
        target.wait_for_echoes(3)
    except (OSError, LookupError) as error:
        target.expect(False, f"{type(error).__name__}: {error}")
    row["input_bytes"] = target.sent_bytes
    try:
        row["cpu"], row["peak_bytes"] = target.spent_cpu(), target.grown_bytes()
        if not target.size.is_sanitized:
            peak = module.PEAK
            target.expect(row["peak_bytes"] <= peak, f"peak memory grew by {row['peak_bytes']} bytes, bound {peak}")
        target.end()
        kept = getattr(module, "KEPT", DEFAULT_KEPT_BYTES)
        row["kept_bytes"] = target.kept_bytes(kept)
        if not target.size.is_sanitized:
            target.expect(row["kept_bytes"] <= kept, f"{row['kept_bytes']} bytes are kept afterwards, bound {kept}")
        row["echoes"], row["failures"], row["worst"] = (target.seen[key] for key in ("echoes", "failures", "worst"))
        target.stop()
    except (OSError, LookupError) as error:
        target.expect(False, f"{type(error).__name__}: {error}")


def bytes_text(count):
    if count is None:
        return "-"
    for unit, name in ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")):
        if count >= unit:
            return f"{count / unit:.1f} {name}"
    return f"{count} B"


def time_text(seconds):
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1000:.1f} ms"


COLUMNS = ("attack", "input", "CPU", "peak memory", "kept", "echoes", "worst echo", "result")


def head(*more):
    """Of the table, in Markdown; `more` are columns after the name."""
    columns = COLUMNS[:1] + more + COLUMNS[1:]
    return "| " + " | ".join(columns) + " |\n|" + "---|" * len(columns)


def line(row, *more):
    """A row of the table."""
    if row["skipped"]:
        cells = ["-"] * 6 + [f"skipped: {row['skipped']}"]
    else:
        echoes = "-" if row.get("echoes") is None else str(row["echoes"])
        if row.get("failures"):
            echoes += f", {row['failures']} failed"
        cells = [
            bytes_text(row.get("input_bytes")),
            "-" if row.get("cpu") is None else f"{row['cpu']:.2f} s",
            bytes_text(row.get("peak_bytes")),
            bytes_text(row.get("kept_bytes")),
            echoes,
            "-" if row.get("worst") is None else time_text(row["worst"]),
            "; ".join(row["notes"] + [f"**broken**: {text}" for text in row["broken"]]) or "holds",
        ]
    return "| " + " | ".join([row["attack"], *more, *cells]) + " |"


def print_list():
    for name in names():
        print(f"{name:<28} {importlib.import_module(f'attacks.{name}').__doc__.strip().splitlines()[0]}")


def report(name, folder, size):
    """The row of an attack, whatever happens; what does not hold is in row["broken"]."""
    signal.signal(signal.SIGALRM, given_up)
    signal.alarm(LONGEST)
    try:
        return run(name, folder, size, False)
    except (OSError, LookupError) as error:
        return {"attack": name, "skipped": None, "notes": [], "broken": [f"{type(error).__name__}: {error}"]}
    finally:
        signal.alarm(0)


def main():
    parser = argparse.ArgumentParser(description="Runs attacks against the programs of a build.")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help="all by default")
    parser.add_argument("--programs", type=pathlib.Path, required=True, help="the folder of hostile_server")
    parser.add_argument("--full", action="store_true", help="as large as for the table; otherwise as for the tests")
    parser.add_argument("--sanitized", action="store_true", help="smaller attacks, and no bounds of memory")
    parser.add_argument("--list", action="store_true", help="only print the names and what they are")
    options = parser.parse_args()
    unknown = sorted(set(options.attacks) - set(names()))
    if unknown:
        parser.error(f"no attack {unknown[0]!r}; see --list")
    if options.list:
        print_list()
        return 0
    size = Size(options.full, options.sanitized)
    rows, failed = [], False
    print(head(), flush=True)
    for name in options.attacks or names():
        try:
            rows.append(run(name, options.programs, size, True))
            print(line(rows[-1]), flush=True)
        except (Broken, OSError, LookupError) as error:
            failed = True
            print(f"| {name} | **broken**: {error} |", flush=True)
    if failed:
        return 1
    return 77 if rows and all(row["skipped"] for row in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
