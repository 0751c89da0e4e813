# SPDX-License-Identifier: MIT
"""Responses: an iterator over the responses of many calls."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

from .._calls.thrown import raise_thrown
from .._errors import Cancelled
from .call_failure import CallFailure


class Responses(Generator[Any, None, None]):
    """The responses of many calls, which a generator yields. It yields a CallFailure for a call that has failed, whose
    error is raised here.

    An exception ends the generator, and so cancels the calls in progress. If it is not the error of a call, but that of
    the requests or of a signal handler, the iterator does not seem to have ended well, unlike a generator: each further
    read raises Cancelled.
    """

    def __init__(self, yielded: Generator[Any, None, None]) -> None:
        self._yielded = yielded
        #: True if another exception than the error of a call has ended the generator.
        self._is_cut_off = False

    def __next__(self) -> Any:
        outcome: Any = None
        try:
            outcome = next(self._yielded)
            if type(outcome) is not CallFailure:
                return outcome
            self._yielded.close()
        except StopIteration:
            self._check()
            raise
        except BaseException:
            outcome = None
            self._is_cut_off = True
            self._yielded.close()
            raise
        try:
            raise outcome.error
        finally:
            del outcome  # the traceback of the error refers to this frame

    def _check(self) -> None:
        """Runs at the end of the generator. Raises Cancelled if it was cut off."""
        if self._is_cut_off:
            raise Cancelled("the calls in progress were cancelled when an exception was raised here") from None

    def send(self, value: None) -> Any:
        """Returns the next response, as a generator does."""
        return self.__next__()

    def throw(self, kind: Any, value: Any = None, traceback: Any = None) -> Any:
        """Closes it, and raises the exception."""
        self.close()
        raise_thrown(kind, value, traceback)

    def close(self) -> None:
        """Cancels the calls in progress."""
        self._yielded.close()
