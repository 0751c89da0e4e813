# SPDX-License-Identifier: MIT
"""Built-in services, each added to a server by one call: health, reflection, statistics.

They need the package protobuf: ``pip install trunkline[protobuf]``.
"""

from ._health import Health, ServingStatus, add_health
from ._reflection import add_reflection
from ._statistics import add_statistics

__all__ = ["Health", "ServingStatus", "add_health", "add_reflection", "add_statistics"]
