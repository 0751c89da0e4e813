# SPDX-License-Identifier: MIT
"""Programs as grpcio's examples are. They import ``grpc``; the process decides which implementation that is."""
