# SPDX-License-Identifier: MIT
"""`trunkline health` and `trunkline stats`, once and with `--watch`."""

from __future__ import annotations

import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import termios
from collections.abc import Iterator

import pytest
import trunkline
from trunkline.services import Health, ServingStatus, add_health, add_statistics

from .commanding import COMMAND, end, environment, eventually, line_of, needs_command, run, start

pytestmark = needs_command


class Served:
    endpoint: str
    health: Health


@pytest.fixture
def served() -> Iterator[Served]:
    server = trunkline.Server(threads=4)
    made = Served()
    made.health = add_health(server)
    add_statistics(server)

    @server.method
    def add(a: int) -> int:
        return a + 1

    with server.serve("tcp://127.0.0.1:0") as running, trunkline.Channel(running.endpoint) as channel:
        made.endpoint = running.endpoint
        for number in range(5):
            channel.call("add", number)
        with pytest.raises(trunkline.InvalidArgument):
            channel.call("add", "x")
        yield made


def test_health(served: Served) -> None:
    healthy = run("health", served.endpoint)
    assert (healthy.status, healthy.output) == (0, "SERVING\n")

    served.health.set("", ServingStatus.NOT_SERVING)

    sick = run("health", served.endpoint)
    assert (sick.status, sick.output) == (1, "NOT_SERVING\n")


def test_health_of_a_service(served: Served) -> None:
    served.health.set("example.Echo", ServingStatus.SERVING)

    assert run("health", served.endpoint, "example.Echo").status == 0
    unknown = run("health", served.endpoint, "example.Nothing")
    assert (unknown.status, unknown.output) == (1, "")
    assert unknown.messages.startswith("trunkline: service 'example.Nothing' has no health status: not_found: ")


def test_health_watched(served: Served) -> None:
    watching = start("health", served.endpoint, "--watch")
    assert line_of(watching) == "SERVING\n"

    served.health.set("", ServingStatus.NOT_SERVING)
    assert line_of(watching) == "NOT_SERVING\n"
    watching.send_signal(signal.SIGINT)

    assert end(watching).status == 130


def test_servers_without_these_services() -> None:
    with trunkline.Server(threads=1).serve("tcp://127.0.0.1:0") as running:
        health = run("health", running.endpoint)
        stats = run("stats", running.endpoint)

    assert (health.status, stats.status) == (1, 64 + 12)
    assert health.messages.startswith("trunkline: the server has no health service: ")
    assert stats.messages.startswith("trunkline: the server has no statistics service: ")
    assert run("health", running.endpoint).status == 1


def test_stats(served: Served) -> None:
    shown = run("stats", served.endpoint)

    assert shown.status == 0
    assert re.match(rf"process {os.getpid()}  up \S+s  connections \d+  open calls \d+  ", shown.lines[0])
    assert shown.lines[1].split() == "METHOD CALLS IN FLIGHT ERRORS P50 P99 IN B OUT B".split()
    (row,) = [line.split() for line in shown.lines if line.startswith("add ")]
    assert row[1:4] == ["6", "0", "1"]
    assert "\x1b" not in shown.output


def test_stats_of_some_methods(served: Served) -> None:
    assert [line.split()[0] for line in run("stats", served.endpoint, "ad").lines[2:]] == ["add"]


def test_stats_as_json(served: Served) -> None:
    sample = json.loads(run("stats", served.endpoint, "--json", "add").output)

    assert sample["processId"] == str(os.getpid())
    assert sample["methods"][0]["finishedByCode"]["0"] == "5"


def test_stats_watched_in_plain_lines(served: Served) -> None:
    watching = start("stats", served.endpoint, "add", "--watch", "--interval", "100ms")
    read = [line_of(watching) for _ in range(8)]
    watching.send_signal(signal.SIGINT)

    assert end(watching).status == 130
    assert [line.split()[:2] for line in read if line.startswith("METHOD")] == [["METHOD", "CALLS/S"]] * 2
    assert "\x1b" not in "".join(read)


class Screen:
    """Runs the command on a terminal with this many columns."""

    def __init__(self, columns: int, *arguments: str, **changes: str) -> None:
        self._ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 10, columns, 0, 0))
        self.process = subprocess.Popen(
            [COMMAND, *arguments], stdin=theirs, stdout=theirs, stderr=theirs, env=environment(TERM="xterm", **changes)
        )
        os.close(theirs)
        self._data = b""

    @property
    def text(self) -> str:
        return self._data.decode(errors="replace")

    def read(self) -> bool:
        """Reads the output of the command. Returns False at its end."""
        try:
            data = os.read(self._ours, 65536)
        except OSError:
            return False
        self._data += data
        return bool(data)

    def close(self) -> None:
        os.close(self._ours)


def test_stats_on_a_terminal_fit_its_width(served: Served) -> None:
    screen = Screen(46, "stats", served.endpoint, "--watch", "--interval", "100ms")
    while screen.text.count("METHOD") < 3:
        assert screen.read()
    screen.process.send_signal(signal.SIGINT)
    while screen.read():
        pass

    assert screen.process.wait(timeout=100) == 130
    assert screen.text.startswith("\x1b[?1049h\x1b[?25l")
    assert screen.text.endswith("\x1b[?25h\x1b[?1049l")
    lines = re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", screen.text).split("\r\n")
    assert [line for line in lines if len(line) > 46] == []
    screen.close()


def test_a_second_signal_leaves_the_other_screen(served: Served) -> None:
    screen = Screen(80, "stats", served.endpoint, "--watch", "--interval", "100ms")
    while screen.text.count("METHOD") < 1:
        assert screen.read()

    screen.process.send_signal(signal.SIGINT)
    screen.process.send_signal(signal.SIGTERM)
    while screen.read():
        pass

    assert screen.process.wait(timeout=100) in (130, 143, -signal.SIGTERM)
    assert "\x1b[?25h\x1b[?1049l" in screen.text
    screen.close()


def test_a_terminal_that_hangs_up(served: Served) -> None:
    screen = Screen(80, "stats", served.endpoint, "--watch", "--interval", "100ms")
    while screen.text.count("METHOD") < 1:
        assert screen.read()

    screen.close()

    eventually(lambda: screen.process.poll() is not None)
    assert screen.process.returncode == 141


def test_colours_are_for_terminals_without_no_color() -> None:
    def shown(**changes: str) -> str:
        screen = Screen(80, "list", "nothing", **changes)
        while screen.read():
            pass
        screen.process.wait(timeout=100)
        screen.close()
        return screen.text

    assert shown().startswith("\x1b[1;31mtrunkline:\x1b[0m ")
    assert shown(NO_COLOR="1").startswith("trunkline: ")
    assert run("list", "nothing").messages.startswith("trunkline: ")
