# SPDX-License-Identifier: MIT
"""Channel.on_state_change, for code that blocks and for asyncio; what channels and servers log."""

from __future__ import annotations

import asyncio
import logging
import queue
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
import trunkline
from trunkline import aio


def echo_server() -> trunkline.Server:
    server = trunkline.Server(threads=2)

    @server.method
    def echo(request: bytes) -> bytes:
        return request

    return server


@pytest.fixture
def closed_port() -> Iterator[str]:
    """An endpoint that refuses connections, and that no other process gets meanwhile."""
    with socket.socket() as reserved:
        reserved.bind(("127.0.0.1", 0))
        yield f"tcp://127.0.0.1:{reserved.getsockname()[1]}"


def test_every_change_is_reported_in_order() -> None:
    states: queue.Queue[trunkline.ChannelState] = queue.Queue()
    with echo_server().serve("tcp://127.0.0.1:0") as running:
        channel = trunkline.Channel(running.endpoint)
        channel.on_state_change(states.put)
        assert channel.call("echo", b"x", bytes) == b"x"
        assert [states.get(timeout=20) for _ in range(2)] == ["connecting", "ready"]

        channel.close()

        assert states.get(timeout=20) == "closed"
        assert states.empty()


def test_a_change_is_noticed_though_nobody_calls() -> None:
    states: queue.Queue[trunkline.ChannelState] = queue.Queue()
    running = echo_server().serve("tcp://127.0.0.1:0")
    with trunkline.Channel(running.endpoint) as channel:
        channel.wait_for_ready(20)
        channel.on_state_change(states.put)

        running.stop()

        assert states.get(timeout=20) != "ready"


def test_the_callback_runs_on_the_thread_of_the_futures() -> None:
    threads: queue.Queue[int] = queue.Queue()
    with echo_server().serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        channel.on_state_change(lambda state: threads.put(threading.get_ident()))
        future = channel.submit("echo", b"x", bytes)
        future.add_done_callback(lambda done: threads.put(threading.get_ident()))

        found = {threads.get(timeout=20) for _ in range(3)}

    assert len(found) == 1
    assert found != {threading.get_ident()}


def test_it_may_begin_a_call() -> None:
    responses: queue.Queue[bytes] = queue.Queue()
    with echo_server().serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:

        def changed(state: trunkline.ChannelState) -> None:
            if state == "ready":
                channel.submit("echo", b"x", bytes).add_done_callback(lambda done: responses.put(done.result()))

        channel.on_state_change(changed)
        channel.wait_for_ready(20)

        assert responses.get(timeout=20) == b"x"


def test_it_can_be_called_off() -> None:
    first: list[str] = []
    second: queue.Queue[str] = queue.Queue()
    with echo_server().serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        call_off = channel.on_state_change(first.append)
        channel.on_state_change(second.put)
        call_off()
        call_off()

        channel.wait_for_ready(20)

        assert [second.get(timeout=20) for _ in range(2)] == ["connecting", "ready"]
    assert first == []


def test_what_it_raises_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    states: queue.Queue[str] = queue.Queue()

    def fail(state: str) -> None:
        raise LookupError(state)

    with echo_server().serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        channel.on_state_change(fail)
        channel.on_state_change(states.put)
        channel.wait_for_ready(20)
        assert [states.get(timeout=20) for _ in range(2)] == ["connecting", "ready"]
        assert channel.submit("echo", b"x", bytes).result(20) == b"x"

    assert caplog.text.count("on_state_change: the callback has raised") >= 2
    assert "LookupError: ready" in caplog.text


def test_what_is_no_function_is_refused() -> None:
    with trunkline.Channel("tcp://127.0.0.1:1") as channel:
        with pytest.raises(TypeError, match="on_state_change: str is not callable"):
            channel.on_state_change("print")  # type: ignore[arg-type]

    with pytest.raises(trunkline.FailedPrecondition, match="closed"):
        channel.on_state_change(print)


def test_event_loops_get_changes_too() -> None:
    async def main() -> None:
        states: asyncio.Queue[trunkline.ChannelState] = asyncio.Queue()
        thread = threading.get_ident()

        def changed(state: trunkline.ChannelState) -> None:
            assert threading.get_ident() == thread
            states.put_nowait(state)

        with echo_server().serve("tcp://127.0.0.1:0") as running:
            async with aio.Channel(running.endpoint) as channel:
                call_off = channel.on_state_change(changed)
                channel.on_state_change(lambda state: None)
                assert await channel.call("echo", b"x", bytes) == b"x"
                assert [await asyncio.wait_for(states.get(), 20) for _ in range(2)] == ["connecting", "ready"]
            assert await asyncio.wait_for(states.get(), 20) == "closed"
            call_off()

    asyncio.run(main())


def test_a_failed_attempt_to_connect_is_logged(closed_port: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "trunkline"), trunkline.Channel(closed_port) as channel:
        with pytest.raises(trunkline.Unavailable):
            channel.call("echo", b"x")

    records = [record for record in caplog.records if record.name == "trunkline"]
    assert records
    assert records[0].levelno == logging.WARNING
    assert "connection refused" in records[0].getMessage()
    assert closed_port in records[0].getMessage()


def test_a_program_without_logging_is_not_told(closed_port: str) -> None:
    program = f"""
import trunkline
with trunkline.Channel("{closed_port}") as channel:
    try:
        channel.call("echo", b"x")
    except trunkline.Unavailable:
        print("unavailable")
"""

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=250)

    assert (done.stdout, done.stderr) == ("unavailable\n", "")


def test_a_connection_that_a_server_refuses_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.DEBUG, "trunkline"), echo_server().serve("tcp://127.0.0.1:0") as running:
        host, _, port = running.endpoint.removeprefix("tcp://").rpartition(":")
        with socket.create_connection((host, int(port)), timeout=20) as peer:
            peer.sendall(b"\x16\x03\x01\x00\xf0\x01\x00\x00\xec\x03\x03" + bytes(240))
            while peer.recv(4096):
                pass

    texts = [record.getMessage() for record in caplog.records if record.name == "trunkline.server"]
    assert any("the client speaks tls" in text for text in texts), texts
