# SPDX-License-Identifier: MIT
"""How channels find out which version of HTTP a server speaks, and what becomes of their connections over HTTP/1.1."""

from __future__ import annotations

import contextlib
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import trunkline

from .waiting import ESTABLISHED, states_of_connections_to, wait_until

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"

Answer = Callable[[socket.socket, bytes], None]
#: What a server does with a connection before it reads from it.
Prepare = Callable[[socket.socket], socket.socket]


def respond(connection: socket.socket, body: bytes, fields: bytes = b"") -> None:
    connection.sendall(HEAD + fields + b"Content-Length: %d\r\n\r\n%s" % (len(body), body))


class Http1Server:
    """Reads requests with a length, and answers as it is told. Knows nothing of HTTP/2."""

    def __init__(self, answer: Answer, prepare: Prepare = lambda connection: connection) -> None:
        self.answer = answer
        self.prepare = prepare
        #: What connections began with.
        self.prefaces = 0
        self.connections = 0
        #: Connections with requests that have ended.
        self.ended = 0
        self.requests: list[bytes] = []
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = int(self._listening.getsockname()[1])
        self.address = f"127.0.0.1:{self.port}"
        self._open: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listening.close()
        for connection in self._open:
            connection.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._listening.accept()
                self._open.append(connection)
                threading.Thread(target=self._serve, args=[connection], daemon=True).start()

    def _serve(self, connection: socket.socket) -> None:
        is_first = True
        with contextlib.suppress(OSError), self.prepare(connection) as connection, connection.makefile("rb") as stream:
            while line := stream.readline():
                head = [line, *iter(lambda: stream.readline() or b"\r\n", b"\r\n")]
                if line.startswith(b"PRI "):
                    self.prefaces += 1
                    connection.sendall(b"HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n")
                    return
                self.connections += is_first
                is_first = False
                (length,) = (int(field.partition(b":")[2]) for field in head if field.startswith(b"content-length"))
                self.requests.append(stream.read(length))
                self.answer(connection, self.requests[-1])
        self.ended += not is_first


@pytest.fixture
def serve() -> Iterator[Callable[[Answer], Http1Server]]:
    with contextlib.ExitStack() as stack:

        def start(answer: Answer) -> Http1Server:
            server = Http1Server(answer)
            stack.callback(server.close)
            return server

        yield start


Serve = Callable[[Answer], Http1Server]


@pytest.mark.parametrize("early", [False, True])
def test_a_server_of_http_1_is_found_out_once(serve: Serve, early: bool) -> None:
    server = serve(respond)
    with trunkline.Channel(f"http://{server.address}", early_calls=early, max_retries=0) as channel:
        for _ in range(10):
            assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"

    assert (server.prefaces, server.connections, server.requests) == (1, 1, [b"x"] * 10)


def test_the_option_saves_the_question(serve: Serve) -> None:
    server = serve(respond)
    with trunkline.Channel(f"http://{server.address}", http_version="1.1") as channel:
        assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"

    assert server.prefaces == 0


def test_the_option_can_insist_on_http_2(serve: Serve) -> None:
    server = serve(respond)
    with trunkline.Channel(f"http://{server.address}", http_version="2") as channel:
        with pytest.raises(trunkline.Unavailable, match="speak HTTP/1, and http_version asks for HTTP/2"):
            channel.call("echo", b"x", bytes, timeout=20.0)

    assert server.requests == []


def test_the_option_is_checked() -> None:
    with pytest.raises(ValueError, match="'http_version' is '3', none of auto, 1.1, 2"):
        trunkline.Channel("http://127.0.0.1:1", http_version="3")


@pytest.mark.parametrize("scheme", ["http", "grpc"])
def test_only_connect_and_grpc_web_go_on_in_http_1(serve: Serve, scheme: str) -> None:
    server = serve(respond)
    with trunkline.Channel(f"{scheme}://{server.address}") as channel:
        if scheme == "grpc":
            with pytest.raises(trunkline.Unavailable, match="needs HTTP/2"):
                channel.call("echo", b"x", bytes, timeout=20.0)
        else:
            assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"


def test_several_servers_are_found_out_each_by_itself(serve: Serve) -> None:
    servers = [serve(respond) for _ in range(3)]
    with trunkline.Channel(",".join(f"http://{server.address}" for server in servers)) as channel:
        for _ in range(60):
            assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"

    assert all(server.prefaces == 1 and server.requests for server in servers)


def test_a_connection_is_not_used_when_the_server_is_about_to_end_it(serve: Serve) -> None:
    def answer(connection: socket.socket, body: bytes) -> None:
        # At first for so long that the calls are made in time.
        respond(connection, body, b"Keep-Alive: timeout=%d\r\n" % (60 if len(server.requests) < 3 else 1))

    server = serve(answer)
    with trunkline.Channel(f"http://{server.address}", http_version="1.1", max_retries=0) as channel:
        for _ in range(3):
            assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"
        assert server.connections == 1
        # Nobody runs the channel's loop meanwhile.
        time.sleep(0.7)
        assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"

    assert server.connections == 2


@pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")
def test_calls_do_not_wait_for_one_handshake_after_the_other(tmp_path: Path) -> None:
    command = "openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj /CN=a -days 2"
    subprocess.run([*command.split(), "-keyout", "key", "-out", "cert"], check=True, capture_output=True, cwd=tmp_path)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(tmp_path / "cert", tmp_path / "key")
    handshakes = iter(range(1, 1000))
    are_many = threading.Event()

    def prepare(connection: socket.socket) -> socket.socket:
        number = next(handshakes)
        if number == 9:
            are_many.set()
        if number > 1:  # a server that has answered
            are_many.wait(40)
        return context.wrap_socket(connection, server_side=True)

    def answer(connection: socket.socket, body: bytes) -> None:
        are_many.wait(40)
        respond(connection, body)

    server = Http1Server(answer, prepare)
    with trunkline.Channel(f"https://{server.address}", http_version="1.1", verify_peer=False) as channel:
        futures = [channel.submit("echo", b"x", bytes, timeout=60.0) for _ in range(32)]
        for future in futures:
            assert future.result(60) == b"x"
    server.close()

    assert are_many.is_set()
    assert server.connections <= 32


def test_calls_wait_once_there_are_as_many_connections_as_may_be(serve: Serve) -> None:
    most = [0, 0]
    lock = threading.Lock()
    # Nobody is answered before four are asked.
    together = threading.Barrier(4)

    def slowly(connection: socket.socket, request: bytes) -> None:
        with lock:
            most[0] += 1
            most[1] = max(most)
        together.wait(20)
        time.sleep(0.01)
        with lock:
            most[0] -= 1
        respond(connection, request)

    server = serve(slowly)
    with trunkline.Channel(f"http://{server.address}", max_http1_connections=4) as channel:
        futures = [channel.submit("echo", b"%d" % number, bytes, timeout=20.0) for number in range(100)]
        responses = [future.result(20) for future in futures]

    assert responses == [b"%d" % number for number in range(100)]
    # Whoever came first was served first.
    assert [int(request) for request in server.requests[:4]] == [0, 1, 2, 3] or most[1] == 4
    assert most[1] == 4
    assert server.connections == 4


def test_calls_that_wait_have_deadlines(serve: Serve) -> None:
    released = threading.Event()

    def hold(connection: socket.socket, request: bytes) -> None:
        released.wait(20)

    server = serve(hold)
    with trunkline.Channel(f"http://{server.address}", max_http1_connections=1) as channel:
        first = channel.submit("echo", b"first", bytes)
        while not server.requests:
            time.sleep(0.01)
        expected = "waiting for room on the connection to .*: this channel's max_http1_connections is 1"
        with pytest.raises(trunkline.DeadlineExceeded, match=expected) as failed:
            channel.call("echo", b"second", bytes, timeout=0.2)
        assert not failed.value.may_have_run
        first.cancel()
        released.set()

    assert server.requests == [b"first"]


def test_calls_of_blocking_programs_survive_connections_that_were_closed_meanwhile(serve: Serve) -> None:
    closed = threading.Event()

    def once(connection: socket.socket, request: bytes) -> None:
        respond(connection, request)
        connection.shutdown(socket.SHUT_RDWR)
        connection.close()
        closed.set()

    server = serve(once)
    with trunkline.Channel(f"http://{server.address}", http_version="1.1", max_retries=0) as channel:
        for _ in range(20):
            closed.clear()
            assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"
            assert closed.wait(20)
            wait_until(lambda: ESTABLISHED not in states_of_connections_to(server.port))

    assert server.requests == [b"x"] * 20


@pytest.mark.parametrize("idempotent", [False, True])
def test_only_idempotent_calls_are_repeated_whose_connection_ends_before_the_response(
    serve: Serve, idempotent: bool
) -> None:
    def second_time(connection: socket.socket, request: bytes) -> None:
        if len(server.requests) == 1:
            connection.shutdown(socket.SHUT_RDWR)
        else:
            respond(connection, request)

    server = serve(second_time)
    with trunkline.Channel(f"http://{server.address}", http_version="1.1") as channel:
        if idempotent:
            assert channel.call("echo", b"x", bytes, idempotent=True, timeout=20.0) == b"x"
        else:
            with pytest.raises(trunkline.Unavailable) as failed:
                channel.call("echo", b"x", bytes, timeout=20.0)
            assert failed.value.may_have_run

    assert len(server.requests) == (2 if idempotent else 1)


def test_calls_that_time_out_do_not_count_as_failures_to_connect(serve: Serve) -> None:
    released = threading.Event()

    def sometimes(connection: socket.socket, request: bytes) -> None:
        if request == b"slow":
            released.wait(40)
        respond(connection, request)

    server = serve(sometimes)
    with trunkline.Channel(f"http://{server.address}", backoff_initial=60.0, backoff_maximum=60.0) as channel:
        for _ in range(5):
            with pytest.raises(trunkline.DeadlineExceeded):
                channel.call("echo", b"slow", bytes, timeout=0.05)
            assert channel.call("echo", b"fast", bytes, timeout=20.0) == b"fast"
    released.set()


def test_connections_that_rest_are_closed(serve: Serve) -> None:
    released = threading.Event()

    def hold(connection: socket.socket, request: bytes) -> None:
        if request == b"hold":
            released.wait(20)
        respond(connection, request)

    server = serve(hold)
    with trunkline.Channel(f"http://{server.address}", http_version="1.1", idle_timeout=0.05) as channel:
        held = channel.submit("echo", b"hold", bytes, timeout=20.0)
        assert channel.call("echo", b"x", bytes, timeout=20.0) == b"x"
        wait_until(lambda: server.ended > 0)
        assert (server.connections, server.ended) == (2, 1)
        released.set()
        assert held.result(20) == b"hold"


def test_the_system_asks_servers_that_are_silent(serve: Serve) -> None:
    released = threading.Event()

    def hold(connection: socket.socket, request: bytes) -> None:
        released.wait(20)
        respond(connection, request)

    server = serve(hold)

    def timers() -> list[str]:
        """The kinds of the timers that run for connections to the server: 01 is retransmission, 02 is keepalive."""
        lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()]
        return [line[5].partition(":")[0] for line in lines if line[2].endswith(f":{server.port:04X}")]

    with trunkline.Channel(f"http://{server.address}", http_version="1.1", keepalive_interval=5.0) as channel:
        held = channel.submit("echo", b"x", bytes, timeout=20.0)
        while not server.requests:
            time.sleep(0.01)
        try:
            wait_until(lambda: timers() != ["01"])  # until the request is acknowledged
            assert timers() == ["02"]
        finally:
            released.set()
        assert held.result(20) == b"x"
