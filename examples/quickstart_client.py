# SPDX-License-Identifier: MIT
"""Calls every service of example_server, in C++ or Python, and checks each response.

Usage: python quickstart_client.py ENDPOINT [FILE...]    (without files: the sources under include/)
"""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

import trunkline


def main() -> int:
    if len(sys.argv) < 2:
        print(f"usage: {sys.argv[0]} ENDPOINT [FILE...]", file=sys.stderr)
        return 2
    root = Path(__file__).parent.parent
    files = [Path(name) for name in sys.argv[2:]] or sorted((root / "include").rglob("*.h"))
    with trunkline.Channel(sys.argv[1]) as channel:
        right = all(
            getattr(import_module(f"{folder}.client"), f"call_{folder[3:]}")(channel)
            for folder in ("01_echo", "02_arith", "04_countdown", "05_chat")
        ) and import_module("03_word_count.client").count_words(channel, files)
    print("all responses are right" if right else "a response was wrong")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())
