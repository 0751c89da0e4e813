# SPDX-License-Identifier: MIT
"""Gives tests services in the same process without a port, and a fake server with scripted responses and faults.

``serve`` and ``aserve`` host a real server on ``inproc://``, so tests see real codecs, deadlines and metadata. A
``Fake`` is such a server without handlers: ``fake.on(method, response, ...)`` scripts the responses to its calls, one
after the other. A response is what a handler would return or raise, a function that returns that, or a ``FakeResponse``
of several parts (messages, an error, a ``Pause``, a ``Fault``) with metadata and the request that it expects::

    fake = trunkline.testing.Fake()
    fake.on("Users/get", Fault.DISCONNECT, {"name": "Ann"})                       # the retry uses a new connection
    fake.on("Users/list", FakeResponse("ann", "bob", trunkline.DataLoss("the disk")), kind="server_stream")
    with fake.serve() as channel:
        ...
    assert fake.requests("Users/get") == [1, 1]

Leaving the block fails the test if a method without a script was called, a request was not the expected one, or a
response was not used. The pytest plugin offers the same as fixtures: ``trunkline_serve``, ``trunkline_aserve``,
``trunkline_fake``.
"""

from ._fake import Fake, ReceivedCall
from ._fake_response import FakeResponse, Fault, Pause
from ._serve import aserve, serve

__all__ = ["FakeResponse", "Fake", "Fault", "Pause", "ReceivedCall", "aserve", "serve"]
