# SPDX-License-Identifier: MIT
"""BlackSheep: POST /contest.Contest/Multiply. It only serves."""

import socket
from dataclasses import dataclass

import uvicorn
from blacksheep import Application, FromJSON, json, post
from driver.options import parse, say_listening

app = Application()


@dataclass
class Factors:
    a: int
    b: int


@post("/contest.Contest/Multiply")
async def multiply(factors: FromJSON[Factors]):
    return json({"pro": factors.value.a * factors.value.b})


if __name__ == "__main__":
    parse()
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    say_listening(f"127.0.0.1:{listener.getsockname()[1]}")
    config = uvicorn.Config(app, loop="uvloop", http="httptools", log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])
