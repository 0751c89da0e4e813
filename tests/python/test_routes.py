# SPDX-License-Identifier: MIT
"""Routes: pages, probes and files beside methods, over HTTP/1.1 and HTTP/2, on both kinds of servers."""

from __future__ import annotations

import asyncio
import http.client
import json
import subprocess
import threading
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from trunkline import HttpRequest, HttpResponse

import trunkline
import trunkline.aio


def add_routes(server: trunkline.Server | trunkline.aio.Server) -> None:
    @server.method("Greet", no_side_effects=True)
    def greet(name: str) -> str:
        return f"hello, {name}"

    @server.route("GET", "/")
    def page(request: HttpRequest) -> HttpResponse:
        return HttpResponse.html(f"<p>{request.query_value('n', 'nobody')} {request.query_values('m')}")

    @server.route("GET", "/healthz")
    def probe() -> str:
        return "ok"

    @server.route("GET", "/a b/*")
    def file(request: HttpRequest, context: trunkline.Context) -> bytes:
        if not request.rest:
            raise trunkline.NotFound("no such file")
        return f"{context.method}|{request.method}|{request.path}|{request.rest}|{request.query}".encode()

    @server.route("POST", "/echo")
    def echo(request: HttpRequest) -> HttpResponse:
        headers = [("x-agent", request.header("User-Agent", "none")), ("set-cookie", "a=1"), ("set-cookie", "b=2")]
        return HttpResponse(request.body, status=201, content_type="x/y", headers=headers)

    @server.route("PUT", "/json")
    def json_of(request: HttpRequest) -> HttpResponse:
        return HttpResponse.json({"got": request.json()})

    @server.route("GET", "/split")
    def split(request: HttpRequest) -> HttpResponse:
        return HttpResponse("body", headers={request.query_value("name"): request.query_value("value")})

    @server.route("GET", "/typed/*")
    def typed(request: HttpRequest) -> HttpResponse:
        headers = {"Content-Type": "x/own", "etag": '"v1"'}
        makers: dict[str, Callable[[], HttpResponse]] = {
            "text": lambda: HttpResponse("a{}", headers=headers),
            "bytes": lambda: HttpResponse(bytearray(b"a{}"), headers=headers),
            "pairs": lambda: HttpResponse(memoryview(b"a{}"), headers=iter(headers.items())),
            "html": lambda: HttpResponse.html("a{}", headers=headers),
            "json": lambda: HttpResponse.json("a{}", headers=headers),
        }
        return makers[request.rest]().for_request(request)

    @server.route("GET", "/nothing")
    def nothing() -> HttpResponse:
        return HttpResponse("never sent", status=204)

    @server.route("GET", "/go")
    def go() -> HttpResponse:
        return HttpResponse.redirect("/healthz")

    @server.route("GET", "/number")
    def number() -> int:
        return 1

    @server.route("GET", "/*")
    def rest(request: HttpRequest) -> str:
        return f"rest {request.rest}"


@pytest.fixture(scope="module", params=["blocking", "asyncio"])
def address(request: pytest.FixtureRequest) -> Iterator[str]:
    """HOST:PORT"""
    if request.param == "blocking":
        server = trunkline.Server(max_message_bytes=100_000)
        add_routes(server)
        with server.serve("tcp://127.0.0.1:0") as running:
            yield running.endpoint.removeprefix("tcp://")
        return
    loop = asyncio.new_event_loop()
    asynchronous = trunkline.aio.Server(max_message_bytes=100_000)
    add_routes(asynchronous)

    async def begin() -> trunkline.aio.RunningServer:
        return asynchronous.serve("tcp://127.0.0.1:0")

    running_on_loop = loop.run_until_complete(begin())
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        yield running_on_loop.endpoint.removeprefix("tcp://")
    finally:
        asyncio.run_coroutine_threadsafe(running_on_loop.stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)
        loop.close()


class Answer:
    def __init__(self, status: int, headers: list[tuple[str, str]], body: str) -> None:
        self.status = status
        self.headers = headers
        self.body = body

    def header(self, name: str) -> str | None:
        return dict(self.headers).get(name)


#: Called with method, path, body and headers as keywords.
Ask = Callable[..., Answer]


def ask_by_http1(address: str, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
    host = urlsplit(f"http://{address}")
    connection = http.client.HTTPConnection(host.hostname or "", host.port, timeout=10)
    try:
        connection.request(method, path, body, headers)
        response = connection.getresponse()
        fields = [(name.lower(), value) for name, value in response.getheaders()]
        return Answer(response.status, fields, response.read().decode())
    finally:
        connection.close()


def ask_by_http2(address: str, method: str, path: str, body: bytes | None, headers: dict[str, str]) -> Answer:
    command = ["curl", "-s", "-i", "--http2-prior-knowledge", "--path-as-is", "-m", "10"]
    command += ["-I"] if method == "HEAD" else ["-X", method]
    for name, value in {"Content-Type": "", **headers}.items():
        command += ["-H", f"{name}: {value}" if value else f"{name}:"]
    if body is not None:
        command += ["--data-binary", "@-"]
    done = subprocess.run([*command, f"http://{address}{path}"], input=body, capture_output=True, check=True)
    head, _, content = done.stdout.decode().partition("\r\n\r\n")
    lines = head.split("\r\n")
    fields = [tuple(line.split(": ", 1)) for line in lines[1:]]
    return Answer(int(lines[0].split()[1]), fields, content)  # type: ignore[arg-type]


@pytest.fixture(params=[ask_by_http1, ask_by_http2], ids=["http1", "http2"])
def ask(request: pytest.FixtureRequest, address: str) -> Ask:
    def run(method: str, path: str, body: bytes | None = None, **headers: str) -> Answer:
        fields = {key.replace("_", "-"): each for key, each in headers.items()}
        answer: Answer = request.param(address, method, path, body, fields)
        return answer

    return run


def test_a_page_has_a_type_and_a_query(ask: Ask) -> None:
    answer = ask("GET", "/?n=a%20b+c&m=1&m=%32")

    assert (answer.status, answer.body) == (200, "<p>a b c ['1', '2']")
    assert answer.header("content-type") == "text/html; charset=utf-8"
    assert answer.header("content-length") == str(len(answer.body))


def test_head_is_get_without_a_body(ask: Ask) -> None:
    answer = ask("HEAD", "/healthz")

    assert (answer.status, answer.body, answer.header("content-length")) == (200, "", "2")


def test_a_star_stands_for_the_rest(ask: Ask) -> None:
    answer = ask("GET", "/a%20b/c%2Fd/%C3%A4?q=1")

    assert answer.body == "GET /a b/*|GET|/a b/c/d/ä|c/d/ä|q=1"
    assert answer.header("content-type") == "application/octet-stream"


def test_bodies_and_headers_are_raw(ask: Ask) -> None:
    answer = ask("POST", "/echo", b"k=v&\n" * 10_000, User_Agent="me", Content_Type="application/x-www-form-urlencoded")

    assert (answer.status, answer.body) == (201, "k=v&\n" * 10_000)
    assert answer.header("content-type") == "x/y"
    assert answer.header("x-agent") == "me"
    assert [value for name, value in answer.headers if name == "set-cookie"] == ["a=1", "b=2"]


def test_an_empty_body_is_one(ask: Ask) -> None:
    assert ask("POST", "/echo", b"").status == 201


def test_json_in_and_out(ask: Ask) -> None:
    assert json.loads(ask("PUT", "/json", b"[1]").body) == {"got": [1]}

    answer = ask("PUT", "/json", b"[1")
    assert answer.status == 400
    assert json.loads(answer.body)["code"] == "invalid_argument"


def test_errors_are_those_of_methods(ask: Ask) -> None:
    answer = ask("GET", "/a%20b/")

    assert (answer.status, json.loads(answer.body)) == (404, {"code": "not_found", "message": "no such file"})
    assert ask("GET", "/number").status == 500


def test_what_a_path_takes_is_said(ask: Ask) -> None:
    answer = ask("DELETE", "/echo", b"x")

    assert (answer.status, answer.header("allow")) == (405, "GET, HEAD, POST")


def test_methods_come_before_the_rest_of_all_paths(ask: Ask) -> None:
    assert ask("POST", "/Greet", b'"ann"', Content_Type="application/json").body == '"hello, ann"'
    assert ask("GET", "/Greet?message=%22bob%22").body == '"hello, bob"'
    assert ask("GET", "/Greeter").body == "rest Greeter"


@pytest.mark.parametrize("path", ["/a%20b/../x", "/a%20b/%2e%2E/x", "/a%20b/..%2fx", "/%00", "/%ff"])
def test_no_path_leads_elsewhere(ask: Ask, path: str) -> None:
    answer = ask("GET", path)

    assert answer.status in (400, 404, 405), answer.body
    assert not answer.body.startswith(("rest", "GET /a b"))


@pytest.mark.parametrize(
    "query",
    ["name=x&value=a%0d%0aevil:1", "name=x&value=%00", "name=content-length&value=1", "name=transfer-encoding&value=x",
     "name=connection&value=close", "name=x%0d%0ay&value=1", "name=trunkline-request&value=1", "name=%20&value=1"],
)  # fmt: skip
def test_a_header_that_is_not_the_handlers_is_not_sent(ask: Ask, query: str) -> None:
    answer = ask("GET", f"/split?{query}")

    assert answer.status == 500
    assert "evil" not in str(answer.headers)
    assert json.loads(answer.body)["code"] == "internal"


def test_other_headers_are(ask: Ask) -> None:
    assert ask("GET", "/split?name=X-Y&value=1").header("x-y") == "1"


@pytest.mark.parametrize("maker", ["text", "bytes", "pairs", "html", "json"])
def test_a_content_type_among_the_headers_is_the_only_one(ask: Ask, maker: str) -> None:
    for status, headers in ((200, {}), (206, {"Range": "bytes=0-1"})):
        answer = ask("GET", f"/typed/{maker}", **headers)

        assert answer.status == status
        assert [value for name, value in answer.headers if name == "content-type"] == ["x/own"]

    answer = ask("GET", f"/typed/{maker}", If_None_Match='"v1"')
    assert (answer.status, answer.header("content-type")) == (304, None)


def test_no_content_has_no_length(ask: Ask) -> None:
    answer = ask("GET", "/nothing")

    assert (answer.status, answer.body, answer.header("content-length")) == (204, "", None)


def test_a_redirect(ask: Ask) -> None:
    answer = ask("GET", "/go")

    assert (answer.status, answer.header("location"), answer.body) == (303, "/healthz", "")


def test_forms_of_other_sites_are_refused(ask: Ask) -> None:
    assert ask("POST", "/echo", b"a", Origin="http://evil.example").status == 403
    assert ask("GET", "/healthz", Origin="http://evil.example").status == 200


def test_a_body_has_a_limit(address: str) -> None:
    assert ask_by_http1(address, "POST", "/echo", b"x" * 100_000, {}).status == 201
    assert ask_by_http1(address, "POST", "/echo", b"x" * 100_001, {}).status == 413


def test_asyncio_awaits_coroutines() -> None:
    server = trunkline.aio.Server()

    @server.route("GET", "/async")
    async def wait(request: HttpRequest) -> str:
        await asyncio.sleep(0)
        return f"awaited {request.path}"

    @server.route("GET", "/wrapped")
    def wrapped(request: HttpRequest) -> object:
        return wait(request)

    async def main() -> list[str]:
        async with server.serve("tcp://127.0.0.1:0") as running:
            address = running.endpoint.removeprefix("tcp://")
            return [
                (await asyncio.to_thread(ask_by_http1, address, "GET", path, None, {})).body
                for path in ("/async", "/wrapped")
            ]

    assert asyncio.run(main()) == ["awaited /async", "awaited /wrapped"]


def test_routes_come_and_go_and_are_counted() -> None:
    server = trunkline.Server()
    seen: list[str] = []

    def watch(call: trunkline.IncomingCall) -> Iterator[None]:
        seen.append(f"{call.method} {call.context.metadata['trunkline-request']!r} {call.request!r}")
        yield

    server = trunkline.Server(interceptors=[watch])
    with server.serve("tcp://127.0.0.1:0") as running:
        address = running.endpoint.removeprefix("tcp://")
        assert ask_by_http1(address, "GET", "/a", None, {}).status == 404
        server.route("GET", "/a", lambda: "there")
        assert ask_by_http1(address, "GET", "/a?b", None, {}).body == "there"
        assert running.totals()["calls_ok"] == 1
    assert seen == ["GET /a 'GET /a?b' b''"]
    assert server.remove("GET /a")


def test_a_channel_cannot_call_a_route() -> None:
    server = trunkline.Server()
    server.route("GET", "/a", lambda: "there")
    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        with pytest.raises(trunkline.Unimplemented, match="no such method"):
            channel.call("GET /a", b"")


def test_what_is_no_route_is_refused() -> None:
    server = trunkline.Server()

    def stream() -> Iterator[str]:
        yield "a"

    async def later() -> str:
        return "a"

    for path in ("a", "/a?b", "/a*", "/../a", "/%20", "/a\n"):
        with pytest.raises(ValueError, match="register route"):
            server.route("GET", path, lambda: "a")
    with pytest.raises(ValueError, match="register route"):
        server.route("get", "/a", lambda: "a")
    for handler in (stream, later, lambda a, b, c: "a"):
        with pytest.raises(TypeError):
            server.route("GET", "/a", handler)
    with pytest.raises(TypeError):
        server.route("GET", 1, lambda: "a")  # type: ignore[call-overload]
    server.route("GET", "/a", lambda: "a")
    with pytest.raises(ValueError, match="registered already"):
        server.route("GET", "/a", lambda: "a")
    assert repr(server) == "<trunkline.Server 0 methods>"


def test_responses_are_checked_where_they_are_made() -> None:
    for status in (99, 199, 600, True, "200"):
        with pytest.raises(ValueError, match="200 to 599"):
            HttpResponse("a", status=status)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="not bytes or str"):
        HttpResponse({"a": 1})  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="the content type is int, not str"):
        HttpResponse("a", content_type=5)  # type: ignore[arg-type]
    for status in (200, 300, 304, 404):
        with pytest.raises(ValueError, match="is not one of 301, 302, 303, 307, 308"):
            HttpResponse.redirect("/", status=status)


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        ({"x-count": 5}, "the header 'x-count' is int, not str or bytes"),
        ({"x-none": None}, "the header 'x-none' is NoneType, not str or bytes"),
        ({5: "x"}, "the name of the header 5 is not a str"),
        ("abc", "headers is str, not a mapping or pairs"),
        (5, "headers is int, not a mapping or pairs"),
        (["ab"], "headers: 'ab' is not a pair of a name and a value"),
    ],
)
def test_headers_are_checked_where_they_are_made(headers: Any, message: str) -> None:
    with pytest.raises(TypeError, match=f"^HttpResponse: {message}"):
        HttpResponse("a", headers=headers)


def test_a_response_has_one_content_type() -> None:
    for headers in ({"Content-Type": "text/css"}, [("content-type", b"text/css")]):
        with pytest.raises(ValueError, match="headers has content-type, and content_type is given as well"):
            HttpResponse("a", content_type="text/html", headers=headers)
    with pytest.raises(ValueError, match="headers has content-type more than once"):
        HttpResponse("a", headers=[("content-type", "text/css"), ("Content-Type", "text/html")])


def test_json_has_no_nan() -> None:
    for value in (float("nan"), float("inf")):
        with pytest.raises(ValueError, match="not JSON compliant"):
            HttpResponse.json({"x": value})
    for body in (b"NaN", b'{"x": -Infinity}'):
        with pytest.raises(trunkline.InvalidArgument, match="the body is not JSON: it has"):
            HttpRequest("PUT /", {"trunkline-request": "PUT /"}, body).json()


def test_a_request_can_be_made_to_test_a_handler() -> None:
    request = HttpRequest("GET /files/*", {"trunkline-request": "GET /files/a%20b?page=2", "Accept": "x"}, b"body")

    assert (request.method, request.path, request.rest, request.query) == ("GET", "/files/a b", "a b", "page=2")
    assert (request.query_value("page"), request.query_value("other", None)) == ("2", None)
    assert (request.header("ACCEPT"), request.header("b"), request.text) == ("x", "", "body")
    assert repr(request) == "<HttpRequest GET /files/a b>"


VALIDATORS = {"etag": '"v1"', "last-modified": "Sun, 06 Nov 1994 08:49:37 GMT"}


@pytest.mark.parametrize(
    ("headers", "status", "body", "content_range"),
    [
        ({}, 200, b"0123456789", None),
        ({"range": "bytes=2-4"}, 206, b"234", "bytes 2-4/10"),
        ({"range": "bytes=-3"}, 206, b"789", "bytes 7-9/10"),
        ({"range": "bytes=8-99"}, 206, b"89", "bytes 8-9/10"),
        ({"range": "bytes=10-"}, 416, None, "bytes */10"),
        ({"range": "bytes=-0"}, 416, None, "bytes */10"),
        *(({"range": value}, 200, b"0123456789", None) for value in ("bytes=4-2", "bytes=-", "x=1-2", "bytes=0-1,3-4")),
        ({"range": f"bytes={'9' * 5000}-"}, 416, None, "bytes */10"),
        ({"range": "bytes=0-0", "if-range": '"v1"'}, 206, b"0", "bytes 0-0/10"),
        ({"range": "bytes=0-0", "if-range": VALIDATORS["last-modified"]}, 206, b"0", "bytes 0-0/10"),
        *(({"range": "bytes=0-0", "if-range": tag}, 200, b"0123456789", None) for tag in ('"v2"', 'W/"v1"', "*")),
        ({"if-none-match": 'W/"v0", W/"v1"'}, 304, b"", None),
        ({"if-none-match": "*"}, 304, b"", None),
        ({"if-none-match": '"v2"', "if-modified-since": VALIDATORS["last-modified"]}, 200, b"0123456789", None),
        ({"if-modified-since": VALIDATORS["last-modified"]}, 304, b"", None),
        ({"if-modified-since": "Sun, 06 Nov 1994 08:49:36 GMT"}, 200, b"0123456789", None),
        ({"if-modified-since": "yesterday"}, 200, b"0123456789", None),
        ({"if-match": '"v2"'}, 412, None, None),
        ({"if-match": '"v2", "v1"'}, 200, b"0123456789", None),
        ({"if-unmodified-since": "Sun, 06 Nov 1994 08:49:36 GMT"}, 412, None, None),
    ],
)
def test_a_response_is_what_the_request_asks_of_it(
    headers: dict[str, str], status: int, body: bytes | None, content_range: str | None
) -> None:
    request = HttpRequest("GET /file", {"trunkline-request": "GET /file", **headers})

    response = HttpResponse(b"0123456789", content_type="image/png", headers=VALIDATORS).for_request(request)

    pairs: Any = response.headers or {}
    sent: dict[str, Any] = dict(pairs)
    assert (response.status, sent.get("content-range")) == (status, content_range)
    assert body is None or response.body == body
    if status in (200, 206, 304):
        assert sent.items() >= VALIDATORS.items()
        assert response.content_type == (None if status == 304 else "image/png")


def test_parts_are_sent() -> None:
    server = trunkline.Server()

    @server.route("GET", "/file")
    def file(request: HttpRequest) -> HttpResponse:
        return HttpResponse("0123456789", headers=VALIDATORS).for_request(request)

    with server.serve("tcp://127.0.0.1:0") as running:
        url = running.endpoint.replace("tcp", "http") + "/file"
        for version in ("--http1.1", "--http2-prior-knowledge"):
            command = ["curl", "-s", version, "-r", "3-5", "-w", " %{http_code} %{content_type}", url]
            text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
            assert text == "345 206 text/plain; charset=utf-8"
            assert subprocess.run([*command[:3], "-I", url], capture_output=True, text=True, check=True).stdout.count(
                "accept-ranges: bytes"
            )
