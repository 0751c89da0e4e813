# SPDX-License-Identifier: MIT
"""Every case, in the order in which they are played."""

from . import cancel_cases, deadline_cases, ending_cases, many_cases, metadata_cases, status_cases, stream_cases, unary_cases  # noqa: F401  # noqa: F401
from .cases import CASES

__all__ = ["CASES"]
