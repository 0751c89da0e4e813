# SPDX-License-Identifier: MIT
"""``python -m trunkline.generate``."""

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

protoc is the one of PATH, or that of grpcio-tools. Its messages go to standard error, its exit status is this one's.
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
        help="a file, a directory (all .proto files below it, but for hidden folders), or a pattern of .proto files",
    )
    add("--out", default=".", metavar="DIR", help="where modules are written, at their files' paths; by default here")
    add(
        "-I",
        "--proto-path",
        action="append",
        default=[],
        dest="roots",
        metavar="DIR",
        help="import root: what imports in .proto files are relative to; several are searched in order. By default the "
        "directories that are given, and for files the current one",
    )
    add(
        "--imports",
        choices=("auto", "relative", "absolute"),
        default="auto",
        help="how generated modules import each other: relative within a package, absolute from a directory of "
        "sys.path; auto: relative if the output lies in a package (there is an __init__.py in it or above it). "
        "Messages of runs before, below the output, are imported so, too",
    )
    add(
        "--package-init",
        action="store_true",
        help="write missing __init__.py files: the output is a package; there are none in google and google/protobuf",
    )
    add("--no-messages", dest="messages", action="store_false", help="services and clients alone")
    add("--no-stubs", dest="stubs", action="store_false", help="no .pyi files")
    add("--protoc", metavar="PATH", help="the compiler")
    add("--plugin", metavar="PATH", help="protoc-gen-trunkline")
    add("--version", action="version", version=f"trunkline {__version__}")
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """The exit status: 0, that of a protoc that failed, 2 for a wrong use, or 1."""
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
