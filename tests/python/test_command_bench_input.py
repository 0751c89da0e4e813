# SPDX-License-Identifier: MIT
"""`trunkline bench`: wrong arguments, unreachable endpoints, and its output."""

from __future__ import annotations

import fcntl
import os
import pty
import re
import select
import signal
import socket
import struct
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import trunkline
from trunkline.services import add_reflection

from . import benching
from .commanding import COMMAND, end, environment, needs_command, run, start

pytestmark = needs_command

NOBODY = "tcp://127.0.0.1:1"


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ([], "give an ENDPOINT, or --self"),
        (["--self", "tcp://127.0.0.1:0", "a.B/C"], "a METHOD cannot be given"),
        ([NOBODY, "--connections", "0"], "--connections"),
        ([NOBODY, "--connections", "many"], "--connections"),
        ([NOBODY, "-o", "1", "-o", "2"], "--outstanding"),
        ([NOBODY, "-o", "1", "--outstanding-per-connection", "2"], "excludes"),
        ([NOBODY, "-c", "8", "-o", "4"], "leaves some of the 8 connections without a call"),
        ([NOBODY, "-t", "4", "-c", "2"], "--threads 4"),
        ([NOBODY, "-d", "1s", "-n", "5"], "cannot be combined"),
        ([NOBODY, "-d", "soon"], "--duration"),
        ([NOBODY, "-d", "-1s"], "--duration"),
        ([NOBODY, "--warmup", "x"], "--warmup"),
        ([NOBODY, "--rate", "0"], "--rate"),
        ([NOBODY, "--rate", "-5"], "--rate"),
        ([NOBODY, "--rate", "nan"], "--rate"),
        ([NOBODY, "--rate", "5", "--kind", "bidi-stream"], "--rate cannot be combined with bidi-stream"),
        ([NOBODY, "--arrivals", "poisson"], "requires --rate"),
        ([NOBODY, "--kind", "duplex"], "--kind"),
        ([NOBODY, "--messages", "5"], "--messages requires a kind of stream"),
        ([NOBODY, "--bytes", "99999999999"], "--bytes"),
        ([NOBODY, "a.B/C", "--bytes", "8"], "--bytes is only for the built-in"),
        ([NOBODY, "a.B/C", "--content", "zeros"], "--content is only for the built-in"),
        ([NOBODY, "a.B/C", "--kind", "server-stream", "--messages", "5"], "decides the number of messages"),
        ([NOBODY, "a.B/C", "--kind", "unary", "--messages", "5"], "--messages requires a kind of stream"),
        ([NOBODY, "--rate", "0.5", "-d", "1s"], "no call is due"),
        ([NOBODY, "--rate", "0.001", "-d", "1s", "--arrivals", "poisson"], "no call is due"),
        ([NOBODY, "--json", "{}"], "require a METHOD"),
        ([NOBODY, "--codec", "json"], "require a METHOD"),
        ([NOBODY, "a.B/C", "input"], "unexpected argument 'input'"),
        ([NOBODY, "--preset", "hslam:8c_x"], "did you mean"),
        ([NOBODY, "--preset", "exposed:8/0/5"], "a cell is"),
        ([NOBODY, "--preset", "exposed:8/1/5/7"], "a cell is"),
        ([NOBODY, "--preset", "exposed:8589934592/1/1"], "BYTES may be at most 1073741824"),
        ([NOBODY, "--preset", "exposed:8/100001/1"], "CONNECTIONS may be at most 100000"),
        ([NOBODY, "--preset", "exposed:8/1/2000000"], "CALLS may be at most 1048576"),
        ([NOBODY, "--conections", "5"], "--connections"),
        ([NOBODY, "--compressor", "zip"], "zip"),
        ([NOBODY, "--output", "/no/such/folder/x"], "--output"),
        ([NOBODY, "--save", "/"], "is a directory"),
        ([NOBODY, "--plot", "picture.txt"], "ends in none of"),
        ([NOBODY, "--python", "python3"], "--python requires --plot"),
        ([NOBODY, "--insecure"], "need tls://"),
        (["tcp://127.0.0.1:0"], "port 0"),
        (["serve", "tcp://127.0.0.1:0", "--delay", "50%:1ms"], "do not add up to 100%"),
        (["serve", "tcp://127.0.0.1:0", "--delay", "x%:1ms"], "share"),
        (["serve", "tcp://127.0.0.1:0", "--stall-after", "1s"], "--stall"),
        (["serve"], "endpoint"),
        (["compare"], "files"),
        (["plot", "picture.svg"], "expected saved runs"),
    ],
)
def test_misuse_is_reported_before_anything_is_sent(arguments: list[str], why: str) -> None:
    ended = run("bench", *arguments)

    assert ended.status == 2, ended.messages
    assert why in ended.messages and ended.output == ""


@pytest.mark.parametrize("warmup", ["0", "0s", "0ms"])
def test_no_warmup_in_any_unit(warmup: str) -> None:
    ended, report = benching.bench("--self", "--warmup", warmup, "-n", "10")

    assert ended.status == 0, ended.messages
    assert report["settings"]["warmup_seconds"] == 0


def test_a_rate_of_which_one_call_is_due() -> None:
    ended, report = benching.bench("--self", "--rate", "0.5", "--duration", "300ms", "--warmup", "0")

    assert (ended.status, report["outcome"]["calls"]) == (0, 1)


def test_messages_of_a_method_that_is_a_client_stream_by_its_definition() -> None:
    server = trunkline.Server(threads=2)

    @server.method
    def gather(requests: Iterator[int]) -> int:
        return sum(requests)

    @server.method
    def scatter(request: int) -> Iterator[int]:
        yield request

    add_reflection(server)
    with server.serve("tcp://127.0.0.1:0") as running:
        load = ("--messages", "7", "-n", "10", "--warmup", "0", "--json", "3")
        ended, report = benching.bench(running.endpoint, "gather", *load)
        refused = run("bench", running.endpoint, "scatter", *load)

    assert (ended.status, report["outcome"]["messages"]) == (0, 70), ended.messages
    assert refused.status == 2 and "decides the number of messages" in refused.messages


def test_stalls_are_described_as_they_are() -> None:
    shown = " ".join(run("bench", "serve", "--help").output.split())

    assert "at a unary call of Echo, block the loop" in shown


def test_no_server_listens() -> None:
    ended = run("bench", NOBODY)

    assert ended.status == 78
    assert "refused" in ended.messages and ended.output == ""


@pytest.mark.parametrize("said", [b"", b"HTTP/1.1 400 Bad Request\r\n\r\n"])
def test_a_server_of_another_protocol(said: bytes) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:

        def respond() -> None:
            while True:
                try:
                    connection, _ = listening.accept()
                except OSError:
                    return
                with connection:
                    connection.recv(1)
                    connection.sendall(said)

        threading.Thread(target=respond, daemon=True).start()
        ended = run("bench", f"tcp://127.0.0.1:{listening.getsockname()[1]}")
        listening.shutdown(socket.SHUT_RDWR)

    assert 64 < ended.status <= 80 and ended.output == "" and ended.messages


def test_ctrl_c_while_it_connects() -> None:
    # Nobody takes the connection from the queue, or says anything on it.
    with socket.create_server(("127.0.0.1", 0)) as listening:
        process = start("bench", f"127.0.0.1:{listening.getsockname()[1]}", "-c", "4", "-t", "2")
        assert select.select([listening], [], [], 60)[0]  # it has begun to connect
        process.send_signal(signal.SIGINT)
        ended = end(process)

    assert (ended.status, ended.output, ended.messages) == (130, "", "")


def test_a_server_without_the_echo_service() -> None:
    with benching.served(lambda request: request) as endpoint:
        ended = run("bench", endpoint, "--kind", "bidi-stream", "--duration", "60s")

    assert ended.status == 76
    assert "unimplemented" in ended.output and "trunkline bench serve" in ended.messages


def test_presets() -> None:
    listed = run("bench", "--preset", "list")
    names = [line.split()[0] for line in listed.output.splitlines()]

    assert listed.status == 0 and {"hslam:8c_m", "contest:2", "rpcz:1k"} <= set(names)
    ended, report = benching.bench("--self", "--preset", "hslam:8c_p", *benching.SHORT)
    assert ended.status == 0
    settings = report["settings"]
    assert (settings["connections"], settings["outstanding"]) == (8, 256)
    _, report = benching.bench("--self", "--preset", "exposed:128/2/50", "-o", "20", *benching.SHORT)
    settings = report["settings"]
    assert (settings["request_bytes"], settings["connections"], settings["outstanding"]) == (128, 2, 20)


def test_help_has_examples() -> None:
    for arguments in (["bench"], ["bench", "serve"], ["bench", "compare"], ["bench", "plot"]):
        shown = run(*arguments, "--help")
        assert shown.status == 0
        assert "Examples:" in shown.output and f"trunkline {' '.join(arguments)}" in shown.output


def test_panel_on_a_terminal_alone() -> None:
    controlling, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    process = subprocess.Popen(
        [COMMAND, "bench", "--self", "--duration", "1s"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=terminal,
        env=environment(TERM="xterm"),
        text=True,
    )
    os.close(terminal)
    drawn = b""
    while True:
        try:
            read = os.read(controlling, 65536)
        except OSError:
            break
        if not read:
            break
        drawn += read
    output, _ = process.communicate(timeout=100)
    os.close(controlling)

    text = drawn.decode()
    assert process.returncode == 0
    assert "measuring" in text and "left" in text and "p99" in text and re.search("[▁▂▃▄▅▆▇█]{3}", text)
    assert text.rstrip().endswith("\x1b[J")
    assert "\x1b" not in output
    assert run("bench", "--self", *benching.SHORT).messages == ""


@pytest.mark.parametrize("ending", ["png", "svg"])
def test_pictures(tmp_path: Path, ending: str) -> None:
    pytest.importorskip("matplotlib")
    picture, saved = tmp_path / f"run.{ending}", tmp_path / "run.json"
    drawn = run(
        "bench", "--self", "--duration", "1s", "--rate", "500", "--plot", str(picture), "--save", str(saved),
        "--python", sys.executable, timeout=200, MPLCONFIGDIR=str(tmp_path),
    )  # fmt: skip
    again = run(
        "bench", "plot", str(saved), str(saved), str(tmp_path / f"two.{ending}"), "--python", sys.executable,
        timeout=200, MPLCONFIGDIR=str(tmp_path),
    )  # fmt: skip

    assert (drawn.status, again.status) == (0, 0), drawn.messages + again.messages
    begin = {"png": b"\x89PNG", "svg": b"<?xml"}[ending]
    for file in (picture, tmp_path / f"two.{ending}"):
        assert file.read_bytes().startswith(begin)


def test_without_python_or_matplotlib_the_figures_are_there(tmp_path: Path) -> None:
    picture = tmp_path / "run.svg"
    nowhere = run("bench", "--self", *benching.SHORT, "--plot", str(picture), PATH=str(tmp_path))
    without = tmp_path / "python"
    without.write_text('#!/bin/sh\nif [ "$1" = -c ]; then exit 0; fi\nexit 3\n')
    without.chmod(0o755)
    bare = run("bench", "--self", *benching.SHORT, "--plot", str(picture), "--python", str(without))

    assert (nowhere.status, bare.status) == (1, 1)
    assert "p99.99" in nowhere.output and "p99.99" in bare.output
    assert "no python3 found" in nowhere.messages
    assert "has no matplotlib" in bare.messages and "trunkline[plot]" in bare.messages
    assert f"trunkline bench plot {picture}.json {picture}" in bare.messages
    assert run("bench", "compare", f"{picture}.json", f"{picture}.json").status == 0
