# SPDX-License-Identifier: MIT
"""`trunkline call` against servers with and without a definition, all kinds of calls."""

from __future__ import annotations

import json
import shutil
import signal
import subprocess
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import trunkline
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from trunkline.services import add_reflection

from . import commanding
from .commanding import close, end, eventually, line_of, needs_command, run, say, start

pytestmark = [needs_command, pytest.mark.skipif(shutil.which("protoc") is None, reason="needs protoc")]


@dataclass
class Sum:
    a: int
    b: int = 0


def plain() -> trunkline.Server:
    """Serves methods of plain types."""
    server = trunkline.Server(threads=4)

    @server.method
    def add(request: Sum) -> int:
        """Adds them."""
        return request.a + request.b

    @server.method("count.Up/To")
    def up(to: int) -> Iterator[int]:
        yield from range(to)

    @server.method("count.Up/Total")
    def total(numbers: Iterator[int]) -> int:
        return sum(numbers)

    @server.method("count.Up/Echo")
    def echo(texts: Iterator[str]) -> Iterator[str]:
        yield from texts

    return server


@pytest.fixture(scope="module")
def market() -> Iterator[str]:
    server = commanding.market()
    add_reflection(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


@pytest.fixture(scope="module")
def simple() -> Iterator[str]:
    server = plain()
    add_reflection(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        yield running.endpoint


def test_unary(market: str) -> None:
    called = run("call", market, "market.Market/Buy", "--json", '{"itemName": "tea", "count": 2}')

    assert called == commanding.Outcome(0, '{"text":"teatea","total":"2"}\n', "")


@pytest.mark.parametrize("name", ["market.Market.Buy", "/market.Market/Buy"])
def test_other_ways_to_name_a_method(market: str, name: str) -> None:
    assert run("call", market, name, "--json", '{"item_name": "x"}').output == '{"text":"x"}\n'


def test_a_method_that_is_gathered_beside_a_service_with_a_definition() -> None:
    server = commanding.market()

    @server.method("market.Market/Later")
    def later(days: int) -> int:
        return days + 1

    add_reflection(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        assert "trunkline.Methods" in run("list", running.endpoint).lines
        called = run("call", running.endpoint, "market.Market/Later", "--json", "1")

    assert (called.status, called.output) == (0, "2\n")


def test_server_stream(market: str) -> None:
    called = run("call", market, "market.Market/Watch", "--json", '{"itemName": "a", "count": 3}', "--emit-defaults")

    assert [json.loads(line)["total"] for line in called.lines] == ["0", "1", "2"]


def test_client_stream_of_several_values_on_a_line_and_over_lines(market: str) -> None:
    requests = '{"itemName":"a"} {"itemName":\n"b"}\n\n{"itemName":"c"}'

    called = run("call", market, "market.Market/BuyAll", "-", text=requests)

    assert called.lines == ['{"text":"a,b,c","total":"3"}']


def test_bidirectional_stream_from_a_file(market: str, tmp_path: Path) -> None:
    (tmp_path / "requests").write_text('{"itemName":"a"}\n{"itemName":"b"}\n')

    called = run("call", market, "market.Market/Talk", "--file", str(tmp_path / "requests"))

    assert called.lines == ['{"text":"a"}', '{"text":"b","total":"1"}']


@pytest.mark.parametrize(
    ("name", "given", "expected"),
    [
        ("add", '{"a": 1, "b": 2}', "3\n"),
        ("trunkline.Methods/add", '{"a": 1}', "1\n"),
        ("count.Up/To", "3", "0\n1\n2\n"),
        ("count.Up/Total", "1 2 3", "6\n"),
        ("count.Up/Echo", '"a" "\u00e4"', '"a"\n"\u00e4"\n'),
    ],
)
def test_a_server_without_a_definition(simple: str, name: str, given: str, expected: str) -> None:
    assert run("call", simple, name, "--json", given) == commanding.Outcome(0, expected, "")


@pytest.mark.parametrize("codec", ["json", "msgpack"])
def test_without_reflection_by_a_codec(codec: str) -> None:
    with plain().serve("tcp://127.0.0.1:0") as running:
        assert run("call", running.endpoint, "add", "--codec", codec, "--json", '{"a": 1, "b": 2}').output == "3\n"
        assert run("call", running.endpoint, "count.Up/To", "--codec", codec, "--json", "2").output == "0\n1\n"
        assert run("call", running.endpoint, "count.Up/Total", "--codec", codec, "-", text="1 2").output == "3\n"


def test_without_reflection_by_a_definition(tmp_path: Path) -> None:
    file = commanding.write_definition(tmp_path)
    compiled = tmp_path / "market.bin"
    subprocess.run(["protoc", f"-I{tmp_path}", f"-o{compiled}", str(file)], check=True)
    request = ("market.Market/Buy", "--json", '{"itemName": "tea"}')

    with commanding.market().serve("tcp://127.0.0.1:0") as running:
        for given in (
            ["--proto", str(file)],
            ["--proto", "market.proto", "-I", str(tmp_path)],
            ["--descriptor-set", str(compiled)],
        ):
            assert run("call", running.endpoint, *request, *given) == commanding.Outcome(0, '{"text":"tea"}\n', "")


def test_json_as_the_codec_of_a_method_with_a_definition(market: str) -> None:
    called = run("call", market, "market.Market/Buy", "--codec", "json", "--json", '{"itemName": "tea"}')

    assert called.output == '{"text":"tea"}\n'


def test_any_holds_types_that_reflection_knows(market: str) -> None:
    note = {"@type": "type.googleapis.com/market.Receipt", "text": "x"}

    called = run("call", market, "market.Market/Buy", "--json", json.dumps({"itemName": "tea", "note": note}))

    assert json.loads(called.output)["note"] == note


ODD = """syntax = "proto2";
package j;
import "google/protobuf/duration.proto";
import "google/protobuf/any.proto";
message A {
  optional int64 i = 1;
  optional group Grp = 2 { optional int32 g = 1; }
  repeated int32 r = 3;
  optional google.protobuf.Duration d = 4;
  optional string s = 5;
  optional uint32 u = 6;
  map<string, int32> m = 7;
  optional google.protobuf.Any any = 8;
  optional bytes raw = 9;
  repeated string list = 10;
  extensions 100 to 199;
}
extend A { optional int32 ext = 100; }
message Needs { required int32 n = 1; }
service Echo { rpc Say(A) returns (A); rpc Odd(A) returns (A); rpc Need(Needs) returns (A); }
"""


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, ...]]:
    """The words of a call before its method, and behind it. ``Say`` returns the request, ``Odd`` what it names."""
    folder = tmp_path_factory.mktemp("odd")
    (folder / "odd.proto").write_text(ODD)
    subprocess.run(
        ["protoc", f"-I{folder}", "--include_imports", f"-o{folder / 'odd.bin'}", "odd.proto"], check=True, cwd=folder
    )
    pool = descriptor_pool.DescriptorPool()
    for file in descriptor_pb2.FileDescriptorSet.FromString((folder / "odd.bin").read_bytes()).file:
        pool.Add(file)
    # Its fields are not known to type checkers.
    kind: Any = message_factory.GetMessageClass(pool.FindMessageTypeByName("j.A"))
    extension = pool.FindExtensionByName("j.ext")
    server = trunkline.Server(threads=2)

    def say(request: Any) -> Any:
        return request

    def answer(request: Any) -> Any:
        result = kind()
        if request.s == "group":
            result.i, result.grp.g = 1, 3
        elif request.s == "extension":
            result.Extensions[extension] = 9
        elif request.s == "duration":
            result.d.seconds, result.d.nanos = 1, -1
        elif request.s == "any":
            result.any.type_url, result.any.value = "type.googleapis.com/j.A", b"\x08"
        return result

    for name, method in (("j.Echo/Say", say), ("j.Echo/Odd", answer)):
        method.__annotations__ = {"request": kind, "return": kind}
        server.add(name, method)
    with server.serve("tcp://127.0.0.1:0") as running:
        yield str(running.endpoint), "--proto", str(folder / "odd.proto")


def call_odd(odd: tuple[str, ...], method: str, request: str) -> commanding.Outcome:
    endpoint, *definition = odd
    return run("call", endpoint, f"j.Echo/{method}", *definition, "--compact", "--json", request)


@pytest.mark.parametrize(
    ("method", "request_text", "response"),
    [
        ("Say", '{"i": "9223372036854775807"}', '{"i":"9223372036854775807"}'),
        ("Say", '{"i": 9007199254740993.0}', '{"i":"9007199254740993"}'),
        ("Say", '{"i": -1e3}', '{"i":"-1000"}'),
        ("Say", '{"grp": {"g": 3}}', '{"grp":{"g":3}}'),
        ("Say", '{"[j.ext]": 7}', '{"[j.ext]":7}'),
        ("Say", '{"r": [1, 2], "s": null}', '{"r":[1,2]}'),
        ("Say", '{"raw": "_-8"}', '{"raw":"/+8="}'),
        ("Odd", '{"s": "group"}', '{"i":"1","grp":{"g":3}}'),
        ("Odd", '{"s": "extension"}', '{"[j.ext]":9}'),
    ],
)
def test_json_of_protobuf_is_neither_changed_nor_lost(
    odd: tuple[str, ...], method: str, request_text: str, response: str
) -> None:
    assert call_odd(odd, method, request_text) == commanding.Outcome(0, response + "\n", "")


@pytest.mark.parametrize(
    ("request_text", "field"),
    [
        ('{"i": -9223372036854775809}', "i"),
        ('{"i": 1.5}', "i"),
        ('{"u": -1}', "u"),
        ('{"u": 4294967296}', "u"),
        ('{"r": [1, null]}', "r[1]"),
        ('{"r": [[1]]}', "r[0]"),
        ('{"list": ["a", 1]}', "list[1]"),
        ('{"m": {"k": null}}', "m["),
        ('{"d": "1"}', "d"),
        ('{"s": 1}', "s"),
        ('{"s": "a", "s": "b"}', "s"),
        ('{"[j.none]": 1}', "[j.none]"),
        ('{"any": {"@type": "type.googleapis.com/j.None"}}', "j.None"),
        ('{"raw": "*"}', "raw"),
    ],
)
def test_json_that_is_no_protobuf_message_is_refused_with_its_field(
    odd: tuple[str, ...], request_text: str, field: str
) -> None:
    called = call_odd(odd, "Say", request_text)

    assert (called.status, called.output) == (2, "")
    assert field in called.messages


def test_json_without_a_required_field_is_refused(odd: tuple[str, ...]) -> None:
    called = call_odd(odd, "Need", "{}")

    assert called.status == 2
    assert "required fields of j.Needs are missing: n" in called.messages


@pytest.mark.parametrize(("name", "field"), [("duration", "field d"), ("any", "field any")])
def test_a_response_without_json_says_which_field_has_none(odd: tuple[str, ...], name: str, field: str) -> None:
    called = call_odd(odd, "Odd", f'{{"s": "{name}"}}')

    assert (called.status, called.output) == (64 + 13, "")
    assert f"the j.A has no form in JSON: {field}" in called.messages


def test_requests_are_sent_as_they_come(market: str) -> None:
    talk = start("call", market, "market.Market/Talk", "-")

    say(talk, '{"itemName": "one"}')
    assert line_of(talk) == '{"text":"one"}\n'
    say(talk, '{"itemName":\n')
    say(talk, '"two"}')
    assert line_of(talk) == '{"text":"two","total":"1"}\n'

    assert end(talk) == commanding.Outcome(0, "", "")


def test_a_unary_call_does_not_wait_for_the_end_of_input(market: str) -> None:
    call = start("call", market, "market.Market/Buy", "-")

    say(call, '{"itemName": "now"}\n')

    assert line_of(call) == '{"text":"now"}\n'
    assert call.wait(timeout=100) == 0
    end(call)


def test_without_input_an_empty_request_is_sent(market: str) -> None:
    assert run("call", market, "market.Market/Buy").output == "{}\n"


def test_pretty_and_compact(market: str) -> None:
    request = ("call", market, "market.Market/Buy", "--json", '{"itemName":"x"}')

    assert run(*request, "--pretty").output == '{\n  "text": "x"\n}\n'
    assert run(*request, "--compact").output == '{"text":"x"}\n'


def test_verbose_prints_metadata_sizes_and_the_status(market: str) -> None:
    request = '{"itemName":"x"}'
    called = run("call", market, "market.Market/Buy", "--json", request, "-v", "-m", "X-Token: abc", "--timeout", "10s")

    lines = called.messages.splitlines()
    assert lines[:3] == ["> market.Market/Buy (protobuf)", "> x-token: abc", "> message 1: 3 bytes"]
    assert "< x-served-by: market" in lines
    assert "< trailing x-seen: abc" in lines
    assert lines[-1].startswith("< ok after ")
    assert lines[-1].endswith(f"from {market}; sent 1 message, 3 bytes; received 1 message, 3 bytes")
    assert called.output == '{"text":"x"}\n'


def test_verbose_of_a_stream(market: str) -> None:
    called = run("call", market, "market.Market/Talk", "--json", '{"itemName":"x"}', "--verbose")

    assert "> message 1: 3 bytes" in called.messages
    assert called.messages.splitlines()[-1].endswith("sent 1 message, 3 bytes; received 1 message, 3 bytes")


def test_a_status_is_the_exit_status_and_its_details_are_shown(market: str) -> None:
    called = run("call", market, "market.Market/Buy", "--json", '{"itemName": "nothing"}')

    assert called.status == 64 + 5
    assert called.output == ""
    assert called.messages.splitlines() == [
        "trunkline: not_found: no such thing: \\x1b[31m",
        '  type.googleapis.com/market.Receipt: {"text":"sold out"}',
    ]


def test_compressed_requests(market: str) -> None:
    request = json.dumps({"itemName": "x" * 5000})

    called = run("call", market, "market.Market/Buy", "--json", request, "--compressor", "zstd")

    assert len(json.loads(called.output)["text"]) == 5000


def test_the_deadline() -> None:
    server = trunkline.Server(threads=2)
    released = threading.Event()

    @server.method
    def wait() -> None:
        released.wait(20)

    with server.serve("tcp://127.0.0.1:0") as running:
        called = run("call", running.endpoint, "wait", "--codec", "json", "--timeout", "100ms")
        released.set()

    assert called.status == 64 + 4
    assert called.messages.startswith("trunkline: deadline_exceeded: ")


def test_waiting_for_a_server_that_is_not_there_yet() -> None:
    with plain().serve("tcp://127.0.0.1:0") as running:
        endpoint = running.endpoint
    request = ("call", endpoint, "add", "--codec", "json", "--json", '{"a": 1}')
    assert run(*request).status == 64 + 14

    waiting = start(*request, "--wait-for-ready", "--timeout", "20s")
    with plain().serve(endpoint):
        assert end(waiting) == commanding.Outcome(0, "1\n", "")


class Watched:
    """A stream that lasts until it is cancelled, and records the cancellation."""

    def __init__(self) -> None:
        self.server = trunkline.Server(threads=2)
        self.is_cancelled = threading.Event()
        self.server.add("ticks", self.ticks)

    def ticks(self, context: trunkline.Context) -> Iterator[int]:
        number = 0
        try:
            while True:
                yield number
                number += 1
                self.is_cancelled.wait(0.01)
        finally:
            self.is_cancelled.set()


@pytest.mark.parametrize(("sent", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_cancels_the_call(sent: signal.Signals, status: int) -> None:
    watched = Watched()
    with watched.server.serve("tcp://127.0.0.1:0") as running:
        call = start("call", running.endpoint, "ticks", "--codec", "json")
        assert line_of(call) == "0\n"

        call.send_signal(sent)

        ended = end(call)
        assert (ended.status, ended.messages) == (status, "")
        assert watched.is_cancelled.wait(60)


def test_a_signal_while_requests_are_waited_for(market: str) -> None:
    call = start("call", market, "market.Market/Talk", "-")
    say(call, '{"itemName": "one"}')
    assert line_of(call) == '{"text":"one"}\n'

    call.send_signal(signal.SIGINT)

    assert call.wait(timeout=100) == 130
    end(call)


def test_a_reader_that_goes_away_ends_the_call_quietly() -> None:
    watched = Watched()
    with watched.server.serve("tcp://127.0.0.1:0") as running:
        call = start("call", running.endpoint, "ticks", "--codec", "json")
        assert line_of(call) == "0\n"
        assert call.stdout is not None

        call.stdout.close()

        assert call.wait(timeout=100) == 141
        assert call.stderr is not None
        assert call.stderr.read() == ""
        assert watched.is_cancelled.wait(60)
    close(call)


def test_a_reader_that_goes_away_is_noticed_while_nothing_comes(market: str) -> None:
    call = start("call", market, "market.Market/Talk", "-")
    say(call, '{"itemName": "one"}')
    assert line_of(call) == '{"text":"one"}\n'
    assert call.stdout is not None

    call.stdout.close()

    eventually(lambda: call.poll() is not None)
    assert call.returncode == 141
    close(call)


def test_a_connection_that_is_lost() -> None:
    server = trunkline.Server(threads=1)

    @server.method
    def lost(context: trunkline.Context) -> Iterator[int]:
        yield 1
        context.disconnect()

    with server.serve("tcp://127.0.0.1:0") as running:
        called = run("call", running.endpoint, "lost", "--codec", "json")

    assert called.status == 64 + 14
    assert called.messages.startswith("trunkline: unavailable: ")
