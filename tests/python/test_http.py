# SPDX-License-Identifier: MIT
"""Calls over HTTP/1.1: by the standard library's client, and as bytes."""

from __future__ import annotations

import http.client
import json
import re
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest

import trunkline

from .waiting import wait_until


@pytest.fixture(scope="module")
def running() -> Iterator[trunkline.RunningServer]:
    server = trunkline.Server()

    @server.method("Greet")
    def greet(name: str) -> str:
        if not name:
            raise trunkline.NotFound("no such person")
        return f"hello, {name}"

    @server.method("Count")
    def count(limit: int) -> Iterator[int]:
        yield from range(1, limit + 1)
        if limit > 5:
            raise trunkline.Aborted("too far")

    @server.method("Length")
    def length(text: str) -> int:
        return len(text)

    @server.method("Tell")
    def tell(name: str, context: trunkline.Context) -> list[str]:
        return [value.decode() for key, value in context.metadata if key == name]

    @server.method("Twice", idempotent=True)
    def twice(number: int) -> int:
        return 2 * number

    @server.method("Half", no_side_effects=True)
    def half(number: int) -> int:
        return number // 2

    with server.serve("tcp://127.0.0.1:0") as running:
        yield running


def address_of(running: trunkline.RunningServer) -> tuple[str, int]:
    parts = urlsplit(running.endpoint)
    assert parts.hostname is not None and parts.port is not None
    return parts.hostname, parts.port


@pytest.fixture
def client(running: trunkline.RunningServer) -> Iterator[http.client.HTTPConnection]:
    connection = http.client.HTTPConnection(*address_of(running), timeout=10)
    yield connection
    connection.close()


def post(client: http.client.HTTPConnection, path: str, content: object, **fields: str) -> tuple[int, str]:
    client.request("POST", path, json.dumps(content), {"Content-Type": "application/json", **fields})
    response = client.getresponse()
    return response.status, response.read().decode()


def exchange(running: trunkline.RunningServer, request: bytes) -> bytes:
    """All that the server answers before it closes the connection."""
    parts = []
    with socket.create_connection(address_of(running), timeout=10) as sock:
        sock.sendall(request)
        while part := sock.recv(65536):
            parts.append(part)
    return b"".join(parts)


def test_calls_share_a_connection(client: http.client.HTTPConnection) -> None:
    for name in ("ann", "bob", "ann"):
        assert post(client, "/Greet", name) == (200, f'"hello, {name}"')


def test_errors_are_json(client: http.client.HTTPConnection) -> None:
    status, content = post(client, "/Greet", "")

    assert (status, json.loads(content)) == (404, {"code": "not_found", "message": "no such person"})
    assert post(client, "/Nothing", 1)[0] == 404
    assert post(client, "/Greet", "ann") == (200, '"hello, ann"')


def test_a_get_calls_a_method_without_side_effects(client: http.client.HTTPConnection) -> None:
    answers = {}
    for method in ("Half", "Twice", "Greet"):
        client.request("GET", f"/{method}?message=6")
        response = client.getresponse()
        answers[method] = (response.status, response.read().decode())

    assert answers["Half"] == (200, "3")
    assert [answers[method][0] for method in ("Twice", "Greet")] == [405, 405]
    assert "call Twice: the method is not marked no_side_effects" in answers["Twice"][1]


def test_pages_of_origins_that_are_allowed_may_call() -> None:
    server = trunkline.Server(cors_origins=["https://app.example"])
    server.add("Greet", lambda: "hello")
    asks = {"Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "x-a"}
    with server.serve("tcp://127.0.0.1:0") as running:
        client = http.client.HTTPConnection(*address_of(running), timeout=10)
        for origin, allowed, statuses in [
            ("https://app.example", "https://app.example", (204, 200)),
            ("https://evil.example", None, (405, 200)),
        ]:
            client.request("OPTIONS", "/Greet", headers={"Origin": origin, **asks})
            question = client.getresponse()
            question.read()
            client.request("POST", "/Greet", "null", {"Content-Type": "application/json", "Origin": origin})
            answer = client.getresponse()
            answer.read()
            assert (question.status, answer.status) == statuses
            assert [each.getheader("Access-Control-Allow-Origin") for each in (question, answer)] == [allowed] * 2
        client.close()


@pytest.mark.parametrize("origin", ["app.example", "https://App.example", "https://app.example/", "null"])
def test_cors_origins_are_checked(origin: str) -> None:
    with pytest.raises(ValueError, match="cors_origins"):
        trunkline.Server(cors_origins=[origin])


def test_names_that_are_not_the_servers_are_refused() -> None:
    server = trunkline.Server(allowed_hosts=["api.example", "*.apps.example"])
    server.add("Greet", lambda: "hello")
    with server.serve("tcp://127.0.0.1:0") as running:
        client = http.client.HTTPConnection(*address_of(running), timeout=10)
        statuses = {}
        for host in ["api.example", "a.apps.example:80", "localhost", "127.0.0.1", "evil.example", "apps.example"]:
            client.request("POST", "/Greet", "null", {"Content-Type": "application/json", "Host": host})
            answer = client.getresponse()
            content = answer.read().decode()
            statuses[host] = answer.status
        client.close()

        assert list(statuses.values()) == [200, 200, 200, 200, 421, 421]
        assert content == (
            "421: receive headers: the host apps.example is neither one of allowed_hosts nor localhost "
            "nor an IP address\n"
        )
        with trunkline.Channel(running.endpoint.replace("tcp", "grpc"), authority="evil.example") as channel:
            with pytest.raises(trunkline.PermissionDenied, match="the host evil.example is neither"):
                channel.call("Greet", None, str, timeout=10)


@pytest.mark.parametrize("host", ["api.example:80", "https://api.example", "*", ""])
def test_allowed_hosts_are_checked(host: str) -> None:
    with pytest.raises(ValueError, match="allowed_hosts"):
        trunkline.Server(allowed_hosts=[host])


def test_a_stream_comes_as_lines(client: http.client.HTTPConnection) -> None:
    client.request("POST", "/Count", "3", {"Content-Type": "application/json"})
    response = client.getresponse()

    assert response.getheader("transfer-encoding") == "chunked"
    assert [json.loads(line) for line in response] == [1, 2, 3]


def test_a_stream_that_fails_ends_with_the_error(client: http.client.HTTPConnection) -> None:
    lines = post(client, "/Count", 6)[1].splitlines()

    assert lines[:6] == ["1", "2", "3", "4", "5", "6"]
    assert json.loads(lines[6]) == {"error": {"code": "aborted", "message": "too far"}}


def test_long_contents_have_a_length_or_come_in_chunks(client: http.client.HTTPConnection) -> None:
    text = "x" * 3_000_000
    assert post(client, "/Length", text) == (200, "3000000")

    parts = iter([b'"', *[b"y" * 100_000] * 20, b'"'])
    client.request("POST", "/Length", parts, {"Content-Type": "application/json"}, encode_chunked=True)

    assert client.getresponse().read() == b"2000000"


def test_fields_are_metadata(client: http.client.HTTPConnection) -> None:
    assert post(client, "/Tell", "x-name", **{"X-Name": "value"}) == (200, '["value"]')


def test_a_pipeline_is_answered_in_its_order(running: trunkline.RunningServer) -> None:
    head = "POST /Greet HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\n"
    names = [f"n{number}" for number in range(200)]
    requests = [f'{head}Content-Length: {len(name) + 2}\r\n\r\n"{name}"' for name in names]
    requests[-1] = requests[-1].replace("Host: h", "Host: h\r\nConnection: close")

    answer = exchange(running, "".join(requests).encode()).decode()

    assert [part.rpartition("\r\n\r\n")[2] for part in answer.split("HTTP/1.1 200 OK")[1:]] == [
        f'"hello, {name}"' for name in names
    ]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"POST /Greet HTTP/1.1\r\nHost: h\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n1", 400),
        (b"POST /Greet HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", 400),
        (b"GET /" + b"a" * 10000 + b" HTTP/1.1\r\nHost: h\r\n\r\n", 414),
        (b"GET /Greet HTTP/1.1\r\nHost: h\r\nA: " + b"a" * 20000, 431),
        (b"GET /Greet HTTP/2.0\r\nHost: h\r\n\r\n", 505),
        (b"POST /Greet HTTP/1.1\r\nHost: h\r\nContent-Length: 99999999999\r\n\r\n", 413),
    ],
)
def test_what_is_wrong_ends_the_connection(running: trunkline.RunningServer, request_: bytes, status: int) -> None:
    answer = exchange(running, request_)

    assert answer.startswith(f"HTTP/1.1 {status} ".encode())
    assert b"connection: close\r\n" in answer


def test_a_client_that_goes_cancels_its_call(running: trunkline.RunningServer) -> None:
    server = trunkline.Server()
    begun, cancelled = threading.Event(), threading.Event()

    @server.method("Wait")
    def wait(context: trunkline.Context) -> None:
        begun.set()
        while not context.is_cancelled():
            if cancelled.wait(0.01):
                break
        cancelled.set()

    with server.serve("tcp://127.0.0.1:0") as other:
        with socket.create_connection(address_of(other), timeout=10) as sock:
            fields = b"Host: h\r\nContent-Type: application/json\r\nContent-Length: 4\r\n"
            sock.sendall(b"POST /Wait HTTP/1.1\r\n" + fields + b"\r\nnull")
            assert begun.wait(10)
        assert cancelled.wait(10)


def connect_to(running: trunkline.RunningServer) -> socket.socket:
    if running.endpoint.startswith("tcp"):
        return socket.create_connection(address_of(running), timeout=60)
    client = socket.socket(socket.AF_UNIX)
    client.settimeout(60)
    client.connect(running.endpoint.removeprefix("unix://"))
    return client


def request_for(path: str, content: str) -> bytes:
    head = f"POST {path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: {len(content)}\r\n"
    return f"{head}\r\n{content}".encode()


@pytest.mark.parametrize("is_asked", [False, True], ids=["soon", "late"])
@pytest.mark.parametrize("scheme", ["tcp", "unix"])
def test_a_client_that_ends_its_side_behind_its_request_is_answered(
    scheme: str, is_asked: bool, tmp_path: Path
) -> None:
    server = trunkline.Server()
    begun, go_on = threading.Semaphore(0), threading.Event()

    def wait() -> None:
        begun.release()
        assert go_on.wait(60)

    @server.method("Wait")
    def answer(name: str) -> str:
        wait()
        return f"hello, {name}"

    @server.method("Count")
    def count() -> Iterator[int]:
        wait()
        yield from range(3)

    with server.serve("tcp://127.0.0.1:0" if scheme == "tcp" else f"unix://{tmp_path}/socket") as running:
        clients = [connect_to(running) for _ in range(2)]
        for client, path, content in zip(clients, ["/Wait", "/Count"], ['"ann"', "null"], strict=True):
            client.sendall(request_for(path, content))
            client.shutdown(socket.SHUT_WR)
            assert begun.acquire(timeout=60)
        responses = [client.makefile("rb") for client in clients]
        answers = [b"", b""]
        if is_asked:
            # After a while the server asks whether the clients are there.
            answers = [response.readline() for response in responses]
        go_on.set()

        for number, client in enumerate(clients):
            with client, responses[number] as response:
                answers[number] += response.read()

    # A machine that is busy may ask before the handler has begun.
    heads = rb"(HTTP/1\.1 100 Continue\r\n\r\n){%d,4}HTTP/1\.1 200 OK\r\n" % is_asked
    assert all(re.match(heads, answer) for answer in answers), answers
    assert answers[0].endswith(b'\r\n\r\n"hello, ann"')
    assert answers[1].endswith(b"2\n\r\n0\r\n\r\n")


@pytest.mark.parametrize("scheme", ["tcp", "unix"])
def test_a_client_that_goes_while_it_reads_a_stream_cancels_it(scheme: str, tmp_path: Path) -> None:
    server = trunkline.Server()
    cancelled = threading.Event()

    @server.method("Watch")
    def watch(context: trunkline.Context) -> Iterator[int]:
        yield 1
        while not context.is_cancelled():
            time.sleep(0.01)
        cancelled.set()

    with server.serve("tcp://127.0.0.1:0" if scheme == "tcp" else f"unix://{tmp_path}/socket") as running:
        with connect_to(running) as client:
            client.sendall(request_for("/Watch", "null"))
            assert client.recv(1000).startswith(b"HTTP/1.1 200 OK\r\n")
        assert cancelled.wait(10)


def has_timer(local_port: int, remote_port: int) -> bool:
    """Whether the kernel has a timer for a connection on the loopback that is established, once what was sent on it is
    acknowledged."""
    # Until then the timer is that of the retransmission.
    wait_until(lambda: not timer_of(local_port, remote_port)[1].startswith("01:"))
    state, timer = timer_of(local_port, remote_port)
    return state == "01" and timer.startswith("02:")


def timer_of(local_port: int, remote_port: int) -> tuple[str, str]:
    """The state of a connection and its timer, as the kernel writes them."""
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        local, remote, state, _, timer = line.split()[1:6]
        if [int(each.split(":")[1], 16) for each in (local, remote)] == [local_port, remote_port]:
            return state, timer
    raise AssertionError("no such connection")


@pytest.mark.parametrize(("interval", "is_asked"), [(30.0, True), (0.0, False)])
def test_the_kernel_asks_whether_an_idle_client_is_there_that_need_not_answer_pings(
    interval: float, is_asked: bool
) -> None:
    server = trunkline.Server(keepalive_interval=interval)
    with server.serve("tcp://127.0.0.1:0") as running, connect_to(running) as client:
        client.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes([0, 0, 0, 4, 0, 0, 0, 0, 0]))
        assert client.recv(9)[3] == 4  # SETTINGS
        assert has_timer(address_of(running)[1], client.getsockname()[1]) == is_asked


@pytest.mark.parametrize(("interval", "is_asked"), [(30.0, True), (0.0, False)])
def test_the_kernel_asks_whether_a_silent_client_is_there(interval: float, is_asked: bool) -> None:
    server = trunkline.Server(keepalive_interval=interval)
    server.add("Greet", lambda: "hello")
    with server.serve("tcp://127.0.0.1:0") as running:
        with connect_to(running) as client:
            client.sendall(request_for("/Greet", "null"))
            assert client.recv(1000).startswith(b"HTTP/1.1 200 OK\r\n")
            assert has_timer(address_of(running)[1], client.getsockname()[1]) == is_asked


def test_a_message_hinted_object_is_anything() -> None:
    server = trunkline.Server()

    @server.method("Same")
    def same(value: object) -> object:
        return value

    @server.method("Count")
    def count(values: list[object]) -> int:
        return len(values)

    with server.serve("tcp://127.0.0.1:0") as running:
        client = http.client.HTTPConnection(*address_of(running), timeout=10)
        with trunkline.Channel(running.endpoint) as channel:
            for value in [1, "text", None, [1, {"a": None}], {"a": [True, 1.5]}]:
                assert post(client, "/Same", value) == (200, json.dumps(value, separators=(",", ":")))
                assert channel.call("Same", value, object, timeout=10) == value
        assert post(client, "/Count", [1, "a", {}]) == (200, "3")
        client.close()
