# SPDX-License-Identifier: MIT
"""The server stops while calls are in progress: by a shutdown, or at once."""

from __future__ import annotations

import signal

import trunkline
from trunkline import Origin

from .cases import Client, ending_case, raising


@ending_case
async def drain(client: Client) -> None:
    name = client.fresh_name()
    stream = client.channel.stream("interop.Test/Chat", bytes, bytes)
    await stream.write(b"before")
    assert await stream.read() == b"before"
    held = client.channel.submit("interop.Test/Hold", name)
    await client.wait_for(f"{name} begun")

    await client.channel.call("interop.Test/Signal", int(signal.SIGTERM))

    with raising(trunkline.Unavailable, may_have_run=False):
        # Calls are accepted until the server's goaway arrives, and then refused.
        while True:
            await client.channel.call("interop.Test/Nothing")
    # Calls in progress run to their end.
    await stream.write(f"tell {name}".encode())
    assert await stream.read() == f"tell {name}".encode()
    assert await held is None
    await stream.close_writes()
    assert await stream.read() == b"goodbye"
    await stream.finish()


@ending_case
async def killed_server(client: Client) -> None:
    unary, streaming = client.fresh_name(), client.fresh_name()
    hanging = client.channel.submit("interop.Test/Hang", unary)
    stream = client.channel.stream("interop.Test/HangStream", bytes, bytes, metadata={"name": streaming})
    await client.wait_for(f"{unary} begun")
    await client.wait_for(f"{streaming} begun")

    with raising(trunkline.Unavailable, may_have_run=True, origin=Origin.TRANSPORT):
        await client.channel.call("interop.Test/Signal", int(signal.SIGKILL))

    with raising(trunkline.Unavailable, may_have_run=True, origin=Origin.TRANSPORT):
        await hanging
    with raising(trunkline.Unavailable, may_have_run=True, origin=Origin.TRANSPORT):
        await stream.read()
    with raising(trunkline.Unavailable, may_have_run=True, origin=Origin.TRANSPORT):
        await stream.finish()
    while await may_run(client):
        pass


async def may_run(client: Client) -> bool:
    """Returns whether a call without a server may have run. The system may accept a connection while it closes the
    port."""
    try:
        await client.channel.call("interop.Test/Nothing")
    except trunkline.Unavailable as error:
        assert error.origin == Origin.TRANSPORT, error
        return error.may_have_run
    raise AssertionError("expected Unavailable, got no error")
