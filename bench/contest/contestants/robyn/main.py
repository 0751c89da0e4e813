# SPDX-License-Identifier: MIT
"""Robyn: POST /contest.Contest/Multiply. It only serves."""

import json
import socket
import sys

from driver.options import parse, say_listening

parse()
# It reads the command line itself, as it is imported.
sys.argv[1:] = []

from robyn import Robyn  # noqa: E402

app = Robyn(__file__)


@app.post("/contest.Contest/Multiply")
def multiply(request):
    factors = json.loads(request.body)
    return {"pro": factors["a"] * factors["b"]}


if __name__ == "__main__":
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    say_listening(f"127.0.0.1:{port}")
    app.start(host="127.0.0.1", port=port)
