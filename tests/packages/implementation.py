# SPDX-License-Identifier: MIT
"""The implementation of grpcio's interface that a program runs on: Trunkline's, or grpcio with the argument ``grpc``.

Programs import this module before anything that imports grpcio.
"""

import sys

NAME = "grpcio" if sys.argv[1:2] == ["grpc"] else "trunkline"

if NAME == "trunkline":
    import trunkline.grpc

    trunkline.grpc.install()


def check() -> None:
    """Raises AssertionError if something has imported the other implementation."""
    if NAME == "trunkline":
        core = getattr(sys.modules.get("grpc._cython.cygrpc"), "__file__", None) or ""
        assert not core.endswith(".so"), "something has imported grpcio"
        assert sys.modules["grpc"] is trunkline.grpc, "something has replaced the drop-in"
    else:
        assert "trunkline" not in sys.modules, "something has imported Trunkline"
