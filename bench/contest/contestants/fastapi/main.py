# SPDX-License-Identifier: MIT
"""FastAPI: POST /contest.Contest/Multiply. It only serves."""

from __future__ import annotations

import socket

import uvicorn
from driver.options import parse, say_listening
from fastapi import FastAPI
from pydantic import BaseModel

app = FastAPI()


class Factors(BaseModel):
    a: int
    b: int


class Product(BaseModel):
    pro: int


@app.post("/contest.Contest/Multiply")
async def multiply(request: Factors) -> Product:
    return Product(pro=request.a * request.b)


if __name__ == "__main__":
    parse()
    listener = socket.create_server(("127.0.0.1", 0), backlog=1024)
    say_listening(f"127.0.0.1:{listener.getsockname()[1]}")
    config = uvicorn.Config(app, loop="uvloop", http="httptools", log_level="warning", access_log=False)
    uvicorn.Server(config).run(sockets=[listener])
