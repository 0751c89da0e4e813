# SPDX-License-Identifier: MIT
"""The contestants of compare.py: `serve NAME` until standard input ends, `call NAME TARGET SIZE OUTSTANDING
SECONDS`."""

from __future__ import annotations

import importlib
import sys
import time
from typing import Any

from contestants.load import Load

#: The contestants by name: the module, its function to serve, its function to call, and further arguments of both.
CONTESTANTS: dict[str, tuple[str, str, str, dict[str, Any]]] = {
    "sockets": ("sockets", "serve_bytes", "call_bytes", {}),
    "messages": ("sockets", "serve_messages", "call_messages", {}),
    "trunkline": ("ours", "serve", "call", {}),
    "trunkline busy_poll": ("ours", "serve", "call", {"busy_poll": 50e-6}),
    "trunkline bytes": ("ours", "serve_bytes", "call_bytes", {}),
    "trunkline map": ("ours", "serve", "call_map", {}),
    "trunkline.aio": ("ours", "serve_aio", "call_aio", {}),
    "trunkline.aio uvloop": ("ours", "serve_aio", "call_aio", {"uvloop": True}),
    "grpcio": ("grpc_python", "serve", "call", {}),
    "grpcio futures": ("grpc_python", "serve", "call_futures", {}),
    "grpc.aio": ("grpc_python", "serve_aio", "call_aio", {}),
    "grpc.aio uvloop": ("grpc_python", "serve_aio", "call_aio", {"uvloop": True}),
    "pycapnp": ("cap_n_proto", "serve", "call", {}),
    "rpyc": ("remote_objects", "serve_rpyc", "call_rpyc", {}),
    "Pyro5": ("remote_objects", "serve_pyro", "call_pyro", {}),
    "zerorpc": ("remote_objects", "serve_zerorpc", "call_zerorpc", {}),
}


def main() -> None:
    role, name = sys.argv[1:3]
    module_name, serve, call, options = CONTESTANTS[name]
    module = importlib.import_module(f"contestants.{module_name}")
    if role == "serve":
        getattr(module, serve)(**options)
        return
    load = Load(sys.argv[3], int(sys.argv[4]), int(sys.argv[5]), float(sys.argv[6]))
    getattr(module, call)(load._replace(seconds=min(0.3, load.seconds)), **options)  # warms the peer up
    begun = time.perf_counter()
    count = getattr(module, call)(load, **options)
    print(count / (time.perf_counter() - begun))


if __name__ == "__main__":
    main()
