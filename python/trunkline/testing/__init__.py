# SPDX-License-Identifier: MIT
"""For users' tests: services in the same process without a port, and a fake that plays scripted answers and faults.

``serve`` and ``aserve`` host a real server on ``inproc://``: what a test sees is what the wire gives, codecs, deadlines and
metadata included. ``Fake`` is such a server without handlers: ``fake.on(method, answer, ...)`` says what becomes of the
calls, one answer after the other. An answer is what a handler would return or raise, a function that finds it out, or an
``Answer`` of several parts - messages, an error, a ``Pause``, a ``Fault`` - with metadata and what request it expects::

    fake = trunkline.testing.Fake()
    fake.on("Users/get", Fault.DISCONNECT, {"name": "Ann"})                       # the retry finds a connection again
    fake.on("Users/list", Answer("ann", "bob", trunkline.DataLoss("the disk")), kind="server_stream")
    with fake.serve() as channel:
        ...
    assert fake.requests("Users/get") == [1, 1]

Leaving the block fails the test if a method was called that is not scripted, a request was not the expected one, or an
answer was not used. The pytest plugin has all of this as fixtures: ``trunkline_serve``, ``trunkline_aserve``,
``trunkline_fake``.
"""

from ._answers import Answer, Fault, Pause
from ._fake import Fake, ReceivedCall
from ._serve import aserve, serve

__all__ = ["Answer", "Fake", "Fault", "Pause", "ReceivedCall", "aserve", "serve"]
