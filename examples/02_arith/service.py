# SPDX-License-Identifier: MIT
"""The server's side of Arith: the product, or OUT_OF_RANGE with a detail that names the operands."""

from __future__ import annotations

from typing import Any

import trunkline
from messages import load

_messages = load("02_arith/arith.proto")
ArithRequest: Any = _messages["ArithRequest"]
ArithResponse: Any = _messages["ArithResponse"]


def add_arith(server: trunkline.Server) -> None:
    @server.method("Arith.Multiply")
    def multiply(request: ArithRequest) -> ArithResponse:
        product = request.a * request.b
        if not -(2**31) <= product < 2**31:
            raise trunkline.OutOfRange(f"multiply: product {product} exceeds int32", details=[request])
        return ArithResponse(pro=product)
