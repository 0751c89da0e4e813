# SPDX-License-Identifier: MIT
"""The service example.Arith: the product, or OUT_OF_RANGE with the operands as a detail."""

from __future__ import annotations

import trunkline
from generated.arith_pb2 import ArithRequest, ArithResponse
from generated.arith_trunkline import ArithService


class Calculator(ArithService):
    def multiply(self, request: ArithRequest, context: trunkline.Context) -> ArithResponse:
        product = request.a * request.b
        if not -(2**31) <= product < 2**31:
            raise trunkline.OutOfRange(f"multiply: product {product} exceeds int32", details=[request])
        return ArithResponse(pro=product)


def add_arith(server: trunkline.Server) -> None:
    server.add_service(Calculator())
