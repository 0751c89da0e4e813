# SPDX-License-Identifier: MIT
"""The functions that generated modules import from ``grpc._utilities``."""

from __future__ import annotations

import re


def first_version_is_lower(version1: str, version2: str) -> bool:
    """Returns whether the first version is lower than the second one, which generated modules require."""
    return _numbers(version1) < _numbers(version2)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in re.findall(r"\d+", version)[:3]]
