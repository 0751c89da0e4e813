# SPDX-License-Identifier: MIT
"""The tables of the contest: which loads, in which rows, after which reference system, with its published figures."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from harness.load import Load


@dataclass(frozen=True)
class Cell:
    name: str
    load: Load


@dataclass(frozen=True, kw_only=True)
class Published:
    """A figure that its authors have published, from their hardware: of which system, in which cell."""

    system: str
    cell: str
    calls_per_second: float


@dataclass(frozen=True, kw_only=True)
class Table:
    """
    ``summary``: a sentence for the front page. ``note``: how the reference's own figures were made, and what differs
    here. ``figures``: the columns that the page shows.
    """

    name: str
    title: str
    summary: str
    note: str
    cells: tuple[Cell, ...]
    figures: tuple[str, ...] = ("calls_per_second",)
    #: Of the contestants that take part; None: any.
    languages: tuple[str, ...] | None = None
    published: tuple[Published, ...] = ()
    hardware: str = ""


def echo_cells(names: str, **more: object) -> tuple[Cell, ...]:
    """From "bytes/connections/outstanding ..."."""
    return tuple(Cell(name, _echo_load(name, more)) for name in names.split())


def _echo_load(name: str, more: dict[str, object]) -> Load:
    size, connections, outstanding = (int(part) for part in name.split("/"))
    return Load(bytes=size, connections=connections, outstanding=outstanding, **more)  # type: ignore[arg-type]


def _published(system: str, figures: dict[str, float]) -> Iterable[Published]:
    return [Published(system=system, cell=cell, calls_per_second=rate) for cell, rate in figures.items()]


QUICK = Table(
    name="quick",
    title="The main cells, in five minutes",
    summary="Echo calls of several sizes and windows, in a run of five minutes.",
    note=(
        "A cell is named for its payload in bytes, its connections and its calls in flight over all connections. "
        "Every call is an echo."
    ),
    cells=echo_cells("8/1/1 8/1/50 8/1/500 1024/1/500 65536/1/50 8/5/5000"),
    figures=("calls_per_second", "p99_us", "client_cpu_us_per_call", "server_cpu_us_per_call"),
)

MAIN = Table(
    name="main",
    title="The main cells",
    summary="Echo calls from one small call at a time to thousands in flight over several connections.",
    note=(
        "A cell is named for its payload in bytes, its connections and its calls in flight over all connections. "
        "Every call is an echo."
    ),
    cells=(
        *echo_cells("8/1/1 1024/1/1 65536/1/1 8/1/50 8/1/500 1024/1/500 65536/1/50 65536/1/500 8/5/5000 1024/5/5000"),
        Cell("8/1/1 busy_poll", Load(busy_poll=True)),
        Cell("8/1/50 busy_poll", Load(outstanding=50, busy_poll=True)),
    ),
    figures=("calls_per_second", "p50_us", "p99_us", "client_cpu_us_per_call", "server_cpu_us_per_call"),
)

EXPOSED = Table(
    name="exposed",
    title="exposed's grid",
    summary="A grid of payload, connections and calls in flight, after the system exposed.",
    note=(
        "A cell is named for its payload in bytes, its connections and its calls in flight over all connections. "
        "exposed measures server and client in one process, and its server responds with a preset random payload of "
        "the request's size. Here they are two processes, and the response is the request's own payload, so that the "
        "client can compare it. MiB/s counts both directions."
    ),
    cells=echo_cells(
        " ".join(
            f"{size}/{connections}/{outstanding}"
            for size in (8, 128, 1024, 32768, 65536)
            for connections in (1, 5, 10)
            for outstanding in (1, 50, 500, 5000, 50000)
            if outstanding >= connections
        )
    ),
    # The deep windows of the grid are beyond the others.
    languages=("C++", "Go"),
    figures=(
        "calls_per_second",
        "mib_per_second",
        "p50_ms",
        "p95_ms",
        "p99_ms",
        "max_ms",
        "collections",
        "allocated_bytes",
    ),
    published=(
        *_published(
            "exposed", {"8/1/1": 20e3, "8/1/50": 527e3, "8/1/500": 890e3, "8/5/5000": 1.00e6, "1024/1/50": 263e3}
        ),
        *_published("gRPC Go, beside exposed", {"8/1/1": 17e3, "8/1/50": 395e3, "8/1/500": 482e3, "1024/1/50": 137e3}),
    ),
    hardware="a laptop with 4 cores",
)


def _text(name: str, **load: object) -> Cell:
    return Cell(name, Load(**{"work": "text", **load}))  # type: ignore[arg-type]


RPC_BENCH = Table(
    name="rpc-bench",
    title="rpc-bench's rows",
    summary="Strings over TLS, two calls in flight, with the allocations of each call, after rpc-bench.",
    note=(
        "Echo of a string of random letters over TLS on one connection, with two calls in flight (as many as cores). "
        "The client compares every response. rpc-bench has both sides in one process. A stream sends one message and "
        "waits for the next; each caller has a stream of its own. Allocations are those of both sides together; for "
        "C++ they are those of the C library. The limit does not use TLS."
    ),
    cells=tuple(
        _text(f"{kind}{size // 1024} KiB", bytes=size, tls=True, outstanding=2, allocations=True, work=work)
        for kind, work in (("", "text"), ("stream, ", "stream"))
        for size in (1024, 65536)
    ),
    figures=("us_per_call", "mib_per_second", "allocated_bytes_per_call", "allocations_per_call"),
    published=(
        *_published("gRPC Go", {"1 KiB": 1e6 / 62.6, "64 KiB": 1e6 / 263}),
        *_published("gRPC Go stream", {"stream, 1 KiB": 1e6 / 31.1, "stream, 64 KiB": 1e6 / 264}),
        *_published("net/rpc gob", {"1 KiB": 1e6 / 29.7, "64 KiB": 1e6 / 204}),
        *_published("net/rpc protobuf", {"1 KiB": 1e6 / 27.3, "64 KiB": 1e6 / 221}),
        *_published("HTTP/1.1 protobuf", {"1 KiB": 1e6 / 65.2, "64 KiB": 1e6 / 172}),
        *_published("HTTP/2 protobuf", {"1 KiB": 1e6 / 115, "64 KiB": 1e6 / 750}),
    ),
    hardware="36 cores",
)


def _arith(name: str, connections: int, outstanding: int, **load: object) -> Cell:
    made = {"work": "multiply", "connections": connections, "outstanding": connections * outstanding, **load}
    return Cell(name, Load(**made))  # type: ignore[arg-type]


HSLAM = Table(
    name="hslam",
    title="hslam/rpc's columns",
    summary=(
        "A multiplication: one call at a time, pipelined, multiplexed, in batches and one-way, after hslam/rpc."
    ),
    note=(
        "Arith.Multiply(a, b); the client verifies the product. 1c and 8c: the number of connections, with one call "
        "in flight on each. p: 32 calls on each, with responses in order. m: 32 on each, in any order. pb and mb: 512 "
        "on each. n: one-way calls, where only sending is measured; the limit echoes them. A batch of hslam is one "
        "message of many calls; here, calls in flight at the same time are written together."
    ),
    cells=tuple(
        _arith(f"{connections}c{suffix}", connections, outstanding, **load)
        for suffix, outstanding, load in (
            ("", 1, {}),
            ("_p", 32, {"pipelined": True}),
            ("_m", 32, {}),
            ("_pb", 512, {"pipelined": True}),
            ("_mb", 512, {}),
            ("_mbn", 512, {"work": "oneway"}),
        )
        for connections in (1, 8)
    ),
    figures=("calls_per_second", "mean_us", "p50_us", "p99_us"),
    published=(
        *_published(
            "hslam/rpc",
            {
                "1c": 22e3,
                "8c": 119e3,
                "1c_p": 163e3,
                "8c_p": 361e3,
                "1c_m": 155e3,
                "8c_m": 314e3,
                "1c_pb": 289e3,
                "8c_pb": 578e3,
                "1c_mb": 306e3,
                "8c_mb": 778e3,
                "1c_mbn": 1.18e6,
            },
        ),
        *_published("gRPC Go, beside hslam/rpc", {"1c": 15e3, "8c": 62e3, "1c_m": 90e3, "8c_m": 146e3}),
    ),
    hardware="12 cores",
)

RPCZ = Table(
    name="rpcz",
    title="rpcz's rows",
    summary="Strings as protobuf, as JSON and over TLS, 8 calls in flight, after rpcz.",
    note=(
        "Echo of a string of random letters on one connection with 8 calls in flight; the client compares every "
        "response. rpcz has both sides in one process. It also has a row without buffers, which is left out because "
        "no contestant here can work without them."
    ),
    cells=(
        *(_text(f"protobuf {kib} KiB", bytes=kib * 1024, outstanding=8) for kib in (1, 4, 16, 32, 64)),
        *(_text(f"JSON {kib} KiB", bytes=kib * 1024, outstanding=8, codec="json") for kib in (1, 4, 16, 32, 64)),
        _text("TLS 1 KiB", bytes=1024, outstanding=8, tls=True),
    ),
    figures=("us_per_call", "mib_per_second", "p99_us"),
    published=(
        *_published("rpcz", {"protobuf 1 KiB": 1e6 / 13.4, "protobuf 64 KiB": 1e6 / 91.6}),
        *_published("rpcz JSON", {"JSON 1 KiB": 1e6 / 20.4, "JSON 16 KiB": 1e6 / 185}),
    ),
    hardware="not said",
)


def _round(name: str, connections: int, pipelined: int) -> Cell:
    return Cell(name, Load(work="object", connections=connections, outstanding=connections * pipelined))


ROUNDS = Table(
    name="rounds",
    title="rpc-server-benchmark's two rounds",
    summary="A constant object over 10 and 20 connections, beside web servers, after rpc-server-benchmark.",
    note=(
        "A constant object of seven fields. Round 1: 10 connections with one call each. Round 2: 20 connections with "
        "50 pipelined calls each. autocannon drives koa, express and Go's echo; its own speed limits their second "
        "round. The RPC systems respond to FindOne(name) from a client of their own. The limit sends the 56 bytes of "
        "the request in both directions, while the response has about 240."
    ),
    cells=(_round("round 1", 10, 1), _round("round 2", 20, 50)),
    figures=("calls_per_second", "mean_us", "p50_us", "p99_us", "max_us"),
    published=(
        *_published("koa", {"round 1": 24e3, "round 2": 46e3}),
        *_published("express", {"round 1": 9e3, "round 2": 12e3}),
        *_published("Go echo", {"round 1": 50e3, "round 2": 98e3}),
        *_published("Thrift on Node", {"round 1": 15e3, "round 2": 41e3}),
        *_published("Thrift on Go", {"round 1": 9e3, "round 2": 8e3}),
    ),
    hardware="not said",
)

LONG_TAIL = Table(
    name="long-tail",
    title="A long tail",
    summary="Echo calls, one in a hundred of which waits for 5 ms and should delay no other.",
    note=(
        "Echo of 8 bytes. The server delays one call in 100 by 5 ms, which should delay no other call. The limit "
        "delays none. p99 is left out, because it would fall exactly on the step that one call in 100 makes."
    ),
    cells=tuple(
        Cell(f"8/1/{outstanding}", Load(work="long_tail", outstanding=outstanding)) for outstanding in (1, 50, 500)
    ),
    figures=("calls_per_second", "p50_us", "p95_us", "max_us"),
)

CONNECTIONS = Table(
    name="connections",
    title="Many connections",
    summary="One call in flight on each of up to 10,000 connections, with the server's memory.",
    note="Echo of 8 bytes with one call in flight on each connection. Memory is the server's peak.",
    cells=echo_cells("8/1/1 8/100/100 8/1000/1000 8/10000/10000"),
    figures=("calls_per_second", "p50_us", "p99_us", "server_peak_mib"),
)

SLOW_READER = Table(
    name="slow-reader",
    title="A slow reader",
    summary="Echo calls beside another client that reads a large stream slowly.",
    note=(
        "Echo of 8 bytes with 50 calls in flight, while another client reads 50 messages of 64 KiB a second from a "
        "stream that could deliver far more. The server's memory must stay bounded, and the other client's calls must "
        "stay fast. The limit has no slow reader."
    ),
    cells=(Cell("8/1/50", Load(outstanding=50, slow_reader=True)),),
    figures=("calls_per_second", "p50_us", "p99_us", "server_peak_mib"),
)

MIXED = Table(
    name="mixed",
    title="Small calls beside large messages",
    summary="Small calls that share a connection with calls of 16 MiB.",
    note=(
        "Echo on one connection: calls of 16 MiB, one after the other, beside small ones. The figures are those of "
        "the small calls. The limit moves small calls only."
    ),
    cells=tuple(Cell(f"8/1/{count}", Load(work="mixed", outstanding=count)) for count in (2, 51)),
    figures=("calls_per_second", "p50_us", "p99_us", "large_calls_per_second"),
)

FAN_OUT = Table(
    name="fan-out",
    title="Fan-out",
    summary="Calls whose handler calls a second server three times before it responds.",
    note=(
        "Each call makes three calls at once to a second server of the same system before its response; echo of 8 "
        "bytes. The limit has no second server."
    ),
    cells=tuple(Cell(f"8/1/{count}", Load(work="fan_out", outstanding=count)) for count in (1, 50, 500)),
    figures=("calls_per_second", "p50_us", "p99_us"),
)

GRPC = Table(
    name="grpc",
    title="gRPC servers",
    summary="Echo calls of one neutral client, h2load, to every server that speaks gRPC.",
    note=(
        "A cell is named for its payload in bytes, its connections and its calls in flight over all connections. "
        "h2load calls every server by gRPC over HTTP/2 without TLS. It knows nothing of gRPC, so gRPC C++'s client "
        "compares responses first. With many calls in flight h2load itself limits the rates of the fastest servers; "
        "the CPU time of a call is the figure that holds. The limit does not decode headers. Trunkline's servers are "
        "those of the other tables: gRPC comes to the same port."
    ),
    cells=echo_cells("8/1/1 8/1/100 8/8/800 1024/1/100 1024/8/800", protocol="grpc"),
    figures=("server_cpu_us_per_call", "calls_per_second"),
)


def _sum(name: str, connections: int, pipelined: int) -> Cell:
    return Cell(name, Load(protocol="http1", connections=connections, outstanding=connections * pipelined))


WEB = Table(
    name="web",
    title="Web servers",
    summary="JSON over HTTP/1.1 and Connect over HTTP/2, from one neutral client to every server that speaks them.",
    note=(
        "HTTP/1.1: a POST of two factors in JSON, whose product comes back in JSON; the cell says how many "
        "connections, and how many requests are pipelined on each. wrk calls every server, and some bodies are "
        "compared before. Connect: an echo of 8 bytes in protobuf over HTTP/2, from h2load, in a cell of the "
        "connections and the calls in flight on each. The CPU time of a call is the figure that holds, since "
        "the client limits the rates of the fastest servers. The limits decode no headers and no messages. Trunkline's "
        "servers are those of the other tables: all of these come to the same port."
    ),
    cells=(
        _sum("HTTP/1.1 1/1", 1, 1),
        _sum("HTTP/1.1 64/1", 64, 1),
        _sum("HTTP/1.1 8/100", 8, 100),
        *(
            Cell(f"Connect {count}/100", Load(protocol="connect", connections=count, outstanding=100 * count))
            for count in (1, 8)
        ),
    ),
    figures=("server_cpu_us_per_call", "calls_per_second"),
)

TABLES = {
    table.name: table
    for table in (
        QUICK,
        MAIN,
        EXPOSED,
        RPC_BENCH,
        HSLAM,
        RPCZ,
        ROUNDS,
        LONG_TAIL,
        CONNECTIONS,
        SLOW_READER,
        MIXED,
        FAN_OUT,
        GRPC,
        WEB,
    )
}
#: What --full measures: all but the short form of one of them; last the one that takes as long as the others together.
FULL = (*(name for name in TABLES if name not in ("quick", "exposed")), "exposed")
