# SPDX-License-Identifier: MIT
"""raise_thrown: raises what the ``throw`` of an iterator that is no generator was given."""

from __future__ import annotations

from typing import Any, NoReturn


def raise_thrown(kind: Any, value: Any, traceback: Any) -> NoReturn:
    """Raises the exception that the arguments of ``Generator.throw`` name: ``kind`` is one, or a class of which ``value``
    is an instance or the argument."""
    error = kind if value is None else value
    if isinstance(error, type):
        error = error()
    elif not isinstance(error, BaseException):
        error = kind(value)
    try:
        raise error if traceback is None else error.with_traceback(traceback)
    finally:
        del error  # its traceback refers to this frame
