# SPDX-License-Identifier: MIT
"""Runs ``python -m trunkline.generate``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .. import __version__
from ._generate import generate
from ._tools import GenerationError

_DESCRIPTION = "Generates Python modules from .proto files: messages (X_pb2.py), services and clients (X_trunkline.py)."

_EPILOG = """examples:
  python -m trunkline.generate --out src/shop/api protos          every .proto below protos
  python -m trunkline.generate -I protos --out gen protos/a.proto 'protos/b/**/*.proto'

protoc is found in PATH, or in the package grpcio-tools. Its messages go to standard error. If it fails, its exit status
is that of this command.
"""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m trunkline.generate",
        description=_DESCRIPTION,
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add(
        "protos",
        nargs="+",
        metavar="PROTO",
        help="a file, a directory (all .proto files below it, hidden folders excepted), or a pattern of .proto files",
    )
    add(
        "--out",
        default=".",
        metavar="DIR",
        help="where to write the modules, at the paths of their files; default: the current directory",
    )
    add(
        "-I",
        "--proto-path",
        action="append",
        default=[],
        dest="roots",
        metavar="DIR",
        help="import root, the directory that imports in .proto files are relative to; several are searched in order. "
        "Default: the directories given as PROTO, and for files the current directory",
    )
    add(
        "--imports",
        choices=("auto", "relative", "absolute"),
        default="auto",
        help="how generated modules import each other: relative within a package, absolute from a directory of "
        "sys.path; auto: relative if the output lies in a package (there is an __init__.py in it or above it). "
        "This includes messages below the output directory that an earlier run has generated",
    )
    add(
        "--package-init",
        action="store_true",
        help="write missing __init__.py files, because the output is a package; never in google and google/protobuf",
    )
    add("--no-messages", dest="messages", action="store_false", help="generate services and clients only")
    add("--no-stubs", dest="stubs", action="store_false", help="write no .pyi files")
    add("--protoc", metavar="PATH", help="path of protoc")
    add("--plugin", metavar="PATH", help="path of protoc-gen-trunkline")
    add("--version", action="version", version=f"trunkline {__version__}")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command. Returns 0, the exit status of a failed protoc, 2 for wrong arguments, or 1 for other errors."""
    chosen = vars(_parser().parse_args(arguments))
    try:
        generate(chosen.pop("protos"), **chosen)
    except GenerationError as error:
        if error.status is None:
            print(f"trunkline.generate: {error}", file=sys.stderr)
        return error.status or 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
