# SPDX-License-Identifier: MIT
"""ResponseInfo: the metadata and the peer that a call reports in addition to its response."""

from __future__ import annotations

from .. import _core
from .._metadata import Metadata


class ResponseInfo:
    """Metadata and peer of a call. Pass one as ``response_info=``; it is set when the call ends."""

    __slots__ = ("leading_metadata", "peer", "trailing_metadata")

    def __init__(self) -> None:
        #: The metadata that the server sent before the response.
        self.leading_metadata = Metadata()
        #: The metadata that the server sent with the status.
        self.trailing_metadata = Metadata()
        #: The endpoint of the server, such as ``tcp://127.0.0.1:8888``; empty if the call never reached a connection.
        self.peer = ""

    def _take(self, call: _core.ClientCall) -> None:
        """Fills this object in from a call. Does nothing if the call has not ended."""
        if call.is_done():
            self._set(call)

    def _set(self, call: _core.ClientCall | _core.ClientStream) -> None:
        self.leading_metadata = Metadata._of(call.leading())
        self.trailing_metadata = Metadata._of(call.trailing())
        self.peer = call.peer()


def checked_response_info(response_info: ResponseInfo) -> ResponseInfo:
    """Raises TypeError for another object."""
    if not isinstance(response_info, ResponseInfo):
        raise TypeError(f"response_info is {response_info!r}, not a trunkline.ResponseInfo")
    return response_info
