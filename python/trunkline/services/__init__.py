# SPDX-License-Identifier: MIT
"""Built-in services: health, reflection, statistics. One call adds each of them to a server.

They need the package protobuf: ``pip install trunkline[protobuf]``.
"""

from ._console import add_console
from ._health import Health, ServingStatus, add_health
from ._openapi import add_openapi
from ._reflection import add_reflection
from ._statistics import add_statistics

__all__ = ["Health", "ServingStatus", "add_console", "add_health", "add_openapi", "add_reflection", "add_statistics"]
