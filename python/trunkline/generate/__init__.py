# SPDX-License-Identifier: MIT
"""Messages, services and clients from ``.proto`` files: ``python -m trunkline.generate``, or ``generate`` from
Python."""

from ._generate import generate
from ._imports import Imports
from ._tools import GenerationError

__all__ = ["GenerationError", "Imports", "generate"]
