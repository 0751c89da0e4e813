# SPDX-License-Identifier: MIT
"""A server whose eight workers take an exponentially distributed time for each call, without using the processor.

Usage: paced_server.py NUMBER MEAN_MS    (says "listening on URI", then serves until it is killed)
"""

from __future__ import annotations

import random
import signal
import sys
import time

import trunkline
from google.protobuf.wrappers_pb2 import BytesValue

METHOD = "trunkline.bench.LoadEcho/Echo"


def main(number: bytes, mean_seconds: float) -> None:
    server = trunkline.Server(threads=8)

    @server.method(METHOD)
    def echo(request: BytesValue) -> BytesValue:
        time.sleep(random.expovariate(1 / mean_seconds))
        return BytesValue(value=number)

    running = server.serve("tcp://127.0.0.1:0")
    print(f"listening on {running.endpoint}", flush=True)
    signal.pause()


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit("usage: paced_server.py NUMBER MEAN_MS")
    main(sys.argv[1].encode(), float(sys.argv[2]) / 1000)
