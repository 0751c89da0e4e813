# SPDX-License-Identifier: MIT
"""Every case, in the order in which they are played."""

from . import unary_cases, status_cases, stream_cases, metadata_cases, many_cases  # noqa: F401
from . import deadline_cases, cancel_cases, ending_cases  # noqa: F401
from .cases import CASES

__all__ = ["CASES"]
