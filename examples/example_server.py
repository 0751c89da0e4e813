# SPDX-License-Identifier: MIT
"""Hosts the services of examples 01 to 05 on the given endpoints until SIGINT or SIGTERM, then shuts down.

Usage: python example_server.py ENDPOINT...
"""

from __future__ import annotations

import os
import sys
from importlib import import_module

import trunkline
from trunkline.services import add_health, add_reflection, add_statistics

SERVICES = ["01_echo", "02_arith", "03_word_count", "04_countdown", "05_chat"]


def main() -> int:
    if len(sys.argv) < 2:
        print(f"usage: {sys.argv[0]} ENDPOINT...", file=sys.stderr)
        return 2
    server = trunkline.Server(
        threads=4,
        # For tls:// endpoints.
        certificate_file=os.environ.get("EXAMPLE_CERTIFICATE_FILE", ""),
        private_key_file=os.environ.get("EXAMPLE_PRIVATE_KEY_FILE", ""),
    )
    for folder in SERVICES:
        getattr(import_module(f"{folder}.service"), f"add_{folder[3:]}")(server)
    add_health(server)
    add_reflection(server)
    add_statistics(server)
    running = server.serve(*sys.argv[1:])
    for endpoint in running.endpoints:
        print(f"listening on {endpoint}", flush=True)
    running.run_until_signal(grace=5.0)
    print("stopped: ok", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
