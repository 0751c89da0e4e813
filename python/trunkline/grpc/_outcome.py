# SPDX-License-Identifier: MIT
"""Outcome: how a call of a client has ended."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from .._errors import RpcError as CoreError
from ._metadatum import Metadata, Metadatum, presented
from ._status_code import StatusCode, code_of
from ._status_details import DETAILS_KEY, encode_status


#: Matches the text of an error if it is that of a timer of the core, of either side, and not of an application.
_of_timer = re.compile(r"(call \S+: )?deadline exceeded( after .*)?", re.DOTALL).fullmatch
#: Matches the text of an error if it is that of a call whose channel was closed before the core has begun it.
_of_closed_channel = re.compile(r"call \S+: the channel is closed").fullmatch


class Outcome(NamedTuple):
    """The status of a call and the metadata that came with it."""

    code: StatusCode
    details: str
    initial_metadata: Metadata = ()
    trailing_metadata: Metadata = ()
    debug_error_string: str = ""


def ok_outcome(leading: Iterable[tuple[str, bytes]], trailing: Iterable[tuple[str, bytes]]) -> Outcome:
    """Returns the outcome of a call that has ended with OK."""
    return Outcome(StatusCode.OK, "", presented(leading), presented(trailing))


def failed_outcome(error: CoreError) -> Outcome:
    """Returns the outcome of a call that the core has ended with ``error``. Details are trailing metadata, too."""
    trailing = presented(error.trailing_metadata)
    details = error.details()
    if details:
        status = encode_status(int(error.code), error.message, details)
        trailing = (*trailing, Metadatum(DETAILS_KEY, status))
    code = code_of(error.code)
    if code is StatusCode.FAILED_PRECONDITION and not error.peer and _of_closed_channel(error.message):
        code = StatusCode.CANCELLED
    text = f'{code.name}:{error.peer or "no peer"} {{grpc_status:{code.value[0]}, grpc_message:"{error.message}"}}'
    message = error.message
    if code is StatusCode.DEADLINE_EXCEEDED and _of_timer(message):
        message = "Deadline Exceeded"  # programs compare it; debug_error_string has the rest
    return Outcome(code, message, presented(error.leading_metadata), trailing, text)


def text_of(kind: str, outcome: Outcome | None) -> str:
    """Returns the representation of a call in the form that grpcio has. ``kind`` is the name of grpcio's class."""
    if outcome is None:
        return f"<{kind} object>"
    lines = [f"<{kind} of RPC that terminated with:", f"\tstatus = {outcome.code}", f'\tdetails = "{outcome.details}"']
    if outcome.code is not StatusCode.OK:
        lines.append(f'\tdebug_error_string = "{outcome.debug_error_string}"')
    return "\n".join([*lines, ">"])
