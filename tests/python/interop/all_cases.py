# SPDX-License-Identifier: MIT
"""Every case, in the order in which they are played."""

from . import (  # noqa: F401
    cancel_cases,
    deadline_cases,
    ending_cases,
    many_cases,
    metadata_cases,
    status_cases,
    stream_cases,
    unary_cases,
)
from .cases import CASES

__all__ = ["CASES"]
