# SPDX-License-Identifier: MIT
"""The console: its page, its service and who may reach them, on both kinds of servers."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
import trunkline
from trunkline import aio, testing
from trunkline.services import _definitions
from trunkline.testing._hosting import LoopThread

from .command import serving

DESCRIBE, WATCH = "trunkline.v1.Console/Describe", "trunkline.v1.Console/Watch"
DESCRIBE_REQUEST = _definitions.message("trunkline.v1.DescribeRequest")
DESCRIPTION = _definitions.message("trunkline.v1.ServerDescription")
STATISTICS_REQUEST = _definitions.message("trunkline.v1.StatisticsRequest")
STATISTICS = _definitions.message("trunkline.v1.ServerStatistics")
TOKEN = "a token of the console"
PLACE = "@trunkline-console-token@"
PAGE = Path(__file__).parents[2] / "src/service/console_page.html"


@pytest.fixture(params=[trunkline.Server, aio.Server], ids=["blocking", "asyncio"])
def server(request: Any) -> Any:
    made = request.param(threads=2)

    def say(text: str) -> str:
        """Says it again."""
        return text

    made.add("Echo/say", say)
    return made


def addresses_of(running: Any) -> tuple[str, str]:
    return running.endpoint.removeprefix("tcp://"), running.console_endpoint.removeprefix("tcp://")


@contextlib.contextmanager
def listening_twice(server: Any) -> Iterator[tuple[str, str]]:
    """HOST:PORT of the server and of its console, which is empty if it has no endpoint of its own."""
    if isinstance(server, trunkline.Server):
        with server.serve("tcp://127.0.0.1:0") as running:
            yield addresses_of(running)
        return

    @contextlib.asynccontextmanager
    async def serve() -> AsyncIterator[tuple[str, str]]:
        async with server.serve("tcp://127.0.0.1:0") as running:
            yield addresses_of(running)

    with LoopThread() as thread, thread.entered(serve()) as addresses:
        yield addresses


@contextlib.contextmanager
def listening(server: Any) -> Iterator[str]:
    """HOST:PORT"""
    with listening_twice(server) as (address, console):
        assert console == ""
        yield address


def get(address: str, path: str = "/console", **headers: str) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection(address, timeout=20)
    with contextlib.closing(connection):
        connection.request("GET", path, headers=headers)
        response = connection.getresponse()
        return response.status, {name.lower(): value for name, value in response.getheaders()}, response.read().decode()


def token_of(page: str) -> str:
    found = re.search(r'name="trunkline-console-token" content="([^"]*)"', page)
    assert found is not None
    return found[1]


def describe(channel: trunkline.Channel, token: str | None) -> Any:
    metadata = {"trunkline-console-token": token} if token is not None else None
    return channel.call(DESCRIBE, DESCRIBE_REQUEST(), DESCRIPTION, metadata=metadata, timeout=20.0)


def test_page_on_the_same_machine_has_the_token(server: Any) -> None:
    server.add_console()

    with listening(server) as address:
        status, headers, page = get(address)
        token = token_of(page)
        with trunkline.Channel(f"tcp://{address}") as channel:
            description = describe(channel, token)
            with pytest.raises(trunkline.Unauthenticated, match="console: the token is missing or wrong"):
                describe(channel, None)
            with pytest.raises(trunkline.Unauthenticated):
                describe(channel, token[:-1])

    assert status == 200
    assert len(token) >= 16
    assert page == PAGE.read_text().replace(PLACE, token, 1)
    assert headers["content-type"] == "text/html; charset=utf-8"
    assert headers["cache-control"] == "no-store"
    assert headers["x-frame-options"] == "DENY"
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert "Echo" in description.services
    assert "trunkline.v1.Console" in description.services


def test_describes_all_that_the_services_need(server: Any) -> None:
    from google.protobuf import descriptor_pb2

    server.add_console(token=TOKEN)

    with testing.serve(server) as channel:
        description = describe(channel, TOKEN)

    files = [descriptor_pb2.FileDescriptorProto.FromString(each) for each in description.files]
    names = [each.name for each in files]
    assert len(names) == len(set(names))
    assert {needed for each in files for needed in each.dependency} <= set(names)
    comments = [location.leading_comments for each in files for location in each.source_code_info.location]
    assert " Says it again.\n" in comments
    assert description.version == trunkline.__version__


def test_a_token_that_is_not_utf_8_is_wrong(server: Any) -> None:
    server.add_console()

    with listening(server) as address:
        client = http.client.HTTPConnection(address, timeout=20)
        with contextlib.closing(client):
            headers: dict[str, str | bytes] = {"Content-Type": "application/json", "trunkline-console-token": b"\xff"}
            client.request("POST", f"/{DESCRIBE}", "{}", headers)
            response = client.getresponse()

            assert (response.status, json.load(response)["code"]) == (401, "unauthenticated")


def test_watch_sends_statistics(server: Any) -> None:
    server.add_console(token=TOKEN)
    request = STATISTICS_REQUEST(interval_ns=100_000_000)
    metadata = {"trunkline-console-token": TOKEN}

    with testing.serve(server) as channel:
        assert channel.call("Echo/say", "a", timeout=20.0) == "a"
        with channel.server_stream(WATCH, request, STATISTICS, metadata=metadata, timeout=20.0) as stream:
            first, second = next(stream), next(stream)
        with (
            pytest.raises(trunkline.Unauthenticated),
            channel.server_stream(WATCH, request, STATISTICS, timeout=20.0) as stream,
        ):
            next(stream)

    assert {each.method: each.started for each in first.methods}["Echo/say"] == 1
    assert second.uptime_ns > first.uptime_ns
    buckets = [
        len(method.latency.buckets)
        for message in (first, second)
        for method in message.methods
        if method.method == "Echo/say"
    ]
    assert buckets == [1, 0]
    assert sum(first.connections_by_protocol.values()) == first.connections == 1


def test_page_is_refused_under_other_names(server: Any) -> None:
    server.add_console()

    with listening(server) as address:
        port = address.rpartition(":")[2]
        assert get(address, Host=f"localhost:{port}")[0] == 200
        assert get(address, Host=f"[::1]:{port}")[0] == 200
        for host in ("evil.example", f"localhost.evil.example:{port}", "10.0.0.1"):
            status, _, text = get(address, Host=host)
            assert status == 403
            assert text == f"console: host '{host}' is neither localhost nor an IP address nor one of hosts\n"


def test_page_is_refused_to_pages_of_other_origins(server: Any) -> None:
    server.add_console()

    with listening(server) as address:
        assert get(address, Origin=f"http://{address}")[0] == 200
        for origin in ("http://evil.example", "null", f"http://{address}0"):
            assert get(address, Origin=origin)[0] == 403


def test_page_with_a_token_has_no_secret(server: Any) -> None:
    server.add_console(token=TOKEN, hosts=["Console.example"])

    with listening(server) as address:
        for host in ("console.example:80", "10.0.0.1"):
            status, _, page = get(address, Host=host)
            assert status == 200
            assert page == PAGE.read_text()
        assert get(address, Host="evil.example")[0] == 403


def test_without_a_token_other_machines_get_no_page() -> None:
    from trunkline.services import _console

    gate = _console._Gate("", ())

    assert not _console._is_loopback("tcp://10.0.0.1:80")
    assert not _console._is_loopback("tls://[fe80::1]:80")
    assert not _console._is_loopback("tcp://nonsense")
    assert _console._is_loopback("tcp://127.1.2.3:80")
    assert _console._is_loopback("tcp://[::1]:80")
    assert _console._is_loopback("unix:///run/a")
    assert not gate._knows("10.0.0.1")
    assert gate._knows("127.0.0.1")


def test_without_a_token_proxies_get_no_page(server: Any) -> None:
    server.add_console()

    with listening(server) as address:
        for name in ("Forwarded", "Via", "X-Forwarded-For", "X-Forwarded-Host", "X-Real-IP"):
            status, _, text = get(address, **{name: "8.8.8.8"})
            assert status == 403
            assert text.endswith(f"not served through a proxy, which has sent {name.lower()}\n")


def test_path_can_be_chosen(server: Any) -> None:
    server.add_console(path="/admin/console")

    with listening(server) as address:
        assert get(address, "/admin/console")[0] == 200
        assert get(address)[0] == 404


def test_console_may_have_an_endpoint_of_its_own(server: Any) -> None:
    server.add_console(endpoint="tcp://127.0.0.1:0", token=TOKEN)

    with listening_twice(server) as (address, console):
        assert get(address)[0] == 404
        assert get(console)[0] == 200
        for method in ("trunkline.v1.Console/Describe", "Echo/say"):
            client = http.client.HTTPConnection(address, timeout=20)
            with contextlib.closing(client):
                client.request("PUT", f"/{method}")
                assert client.getresponse().status == (405 if method == "Echo/say" else 404)
        with trunkline.Channel(f"tcp://{address}") as public, trunkline.Channel(f"tcp://{console}") as private:
            with pytest.raises(trunkline.Unimplemented, match="no such method"):
                describe(public, TOKEN)
            assert "trunkline.v1.Console" in describe(private, TOKEN).services
            for channel in (public, private):
                assert channel.call("Echo/say", "a", str, timeout=20.0) == "a"


def test_several_processes_cannot_share_the_endpoint_of_the_console(server: Any) -> None:
    server.add_console(endpoint="tcp://127.0.0.1:0")

    with pytest.raises(ValueError, match="workers: 2 processes cannot share the endpoint of the console"):
        server.serve("tcp://127.0.0.1:0", workers=2)


def test_console_is_off_unless_asked_for(server: Any) -> None:
    with listening(server) as address:
        assert get(address)[0] == 404
        with trunkline.Channel(f"tcp://{address}") as channel, pytest.raises(trunkline.Unimplemented):
            describe(channel, TOKEN)


def test_wrong_arguments_are_refused(server: Any) -> None:
    with pytest.raises(ValueError, match="token has 5 characters, at least 16 are needed"):
        server.add_console(token="short")
    with pytest.raises(ValueError, match="path"):
        server.add_console(path="console")
    with pytest.raises(TypeError, match="hosts must be a sequence of str, not one str"):
        server.add_console(hosts="example.org")
    server.add_console()
    with pytest.raises(ValueError, match="registered already"):
        server.add_console()


def test_watch_ends_at_the_shutdown() -> None:
    server = trunkline.Server()
    server.add_console(token=TOKEN)
    metadata = {"trunkline-console-token": TOKEN}

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with channel.server_stream(WATCH, STATISTICS_REQUEST(), STATISTICS, metadata=metadata, timeout=20.0) as stream:
            next(stream)
            running.shutdown(10.0)
            with pytest.raises(trunkline.Unavailable):
                for _ in stream:
                    pass


APP = """
import trunkline

server = trunkline.Server()
server.add("greet", lambda name: f"hello, {name}")
"""


def test_serve_has_it_if_asked(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)

    with serving(tmp_path, "app:server", "--console") as command:
        address = urlsplit(command.endpoint()).netloc
        status, _, page = get(address)
        with trunkline.Channel(f"tcp://{address}") as channel:
            assert "trunkline.Methods" in describe(channel, token_of(page)).services
    with serving(tmp_path, "app:server") as command:
        assert get(urlsplit(command.endpoint()).netloc)[0] == 404

    assert status == 200


def test_serve_has_it_on_an_endpoint_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)

    with serving(tmp_path, "app:server", "--console-endpoint", f"unix://{tmp_path}/console") as command:
        assert get(urlsplit(command.endpoint()).netloc)[0] == 404
        client = http.client.HTTPConnection("localhost", timeout=20)
        with contextlib.closing(client):
            client.sock = socket.socket(socket.AF_UNIX)
            client.sock.connect(f"{tmp_path}/console")
            client.request("GET", "/console")
            assert client.getresponse().status == 200
    refused = subprocess.run(
        [
            *(sys.executable, "-m", "trunkline.serve", "app:server"),
            *("--console-endpoint", "tcp://127.0.0.1:0", "--workers=2"),
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert (refused.returncode, refused.stderr) == (
        1,
        "serve: --console-endpoint is for one process, which --workers is not\n",
    )


def test_serve_takes_a_token(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)

    with serving(tmp_path, "app:server", "--console", "--console-token", TOKEN) as command:
        address = urlsplit(command.endpoint()).netloc
        assert token_of(get(address)[2]) == PLACE
        with trunkline.Channel(f"tcp://{address}") as channel:
            assert describe(channel, TOKEN).services
    refused = subprocess.run(
        [sys.executable, "-m", "trunkline.serve", "app:server", "--console", "--console-token", "short"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert refused.returncode == 1
    assert "token has 5 characters" in refused.stderr
