# SPDX-License-Identifier: MIT
"""Target: the name that a channel is asked to call."""

from __future__ import annotations

from typing import NamedTuple


class Target(NamedTuple):
    """The parts of ``SERVERS+SCHEME://AUTHORITY/PATH?QUERY``, for the resolver of the scheme. Percent-encoding is left
    as it is."""

    scheme: str
    #: The scheme of servers whose address is not a URI: ``tcp`` (the default), ``tls``, ``grpc``, ``grpcs``, ``ws``,
    #: ``wss``, ``http``, ``https``, ``grpc-web`` or ``grpc-webs``.
    server_scheme: str
    #: The part between ``//`` and the next ``/``, with a user and password if there are any.
    authority: str
    #: The part after the ``/``, up to the ``?``.
    path: str
    #: The part after the ``?``.
    query: str
    #: The URI without user and password, for error texts and logs.
    text: str
