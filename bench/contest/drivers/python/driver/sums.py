# SPDX-License-Identifier: MIT
"""The messages of Multiply, in the forms of JSON."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass
class Factors:
    a: int
    b: int


@dataclass
class Product:
    pro: int
