# SPDX-License-Identifier: MIT
"""The drop-in for grpcio: each test runs on it and on grpcio, with either side of a call from either."""
