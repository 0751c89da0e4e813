# SPDX-License-Identifier: MIT
"""``python -m trunkline.serve --reload``: changes of files, including broken ones, and its shutdown."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest
import trunkline

from .command import ServingCommand, serving
from .waiting import wait_until

APP = """
import os
import time
import trunkline
from part import VALUE

class Service:
    def value(self) -> int:
        return VALUE

    def pid(self) -> int:
        return os.getpid()

    def linger(self, seconds: float) -> str:
        time.sleep(seconds)
        return "done"

    def more(self) -> int:
        import late
        return late.VALUE
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "app.py").write_text(APP)
    (tmp_path / "part.py").write_text("VALUE = 1\n")
    return tmp_path


def value(endpoint: str) -> int:
    """Calls the service. The call is repeated if its connection is reset, because the previous generation may drop
    connections that it has not accepted yet."""
    with trunkline.Channel(endpoint) as channel:
        found: int = channel.call("Service/value", None, int, timeout=60.0, idempotent=True, wait_for_ready=True)
        return found


def value_becomes(endpoint: str, wanted: int) -> None:
    """Waits for the value. The previous generation may accept connections until it drains."""
    wait_until(lambda: value(endpoint) == wanted)


def change_once_found(started: ServingCommand, file: Path) -> None:
    """Changes a module that was imported late until that is noticed: not before it has been found."""
    for number in range(60):
        file.write_text(f"VALUE = 22\n{'#' * number}\n")
        try:
            assert started.until("^(.*) changed: restarting", 2.0) == file.name
        except AssertionError as error:
            if "no line" not in str(error):
                raise
        else:
            return
    raise AssertionError(f"no change of {file.name} is noticed")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_a_change_of_an_imported_module_starts_it_anew_on_the_same_port(folder: Path, workers: str) -> None:
    with serving(folder, "app:Service", "--reload", "--workers", workers) as started:
        endpoint = started.endpoint()
        assert value(endpoint) == 1
        for number in (2, 3):
            (folder / "part.py").write_text(f"VALUE = {number}  # {'-' * number}\n")
            assert started.until("^(.*) changed: restarting") == "part.py"
            assert started.endpoint() == endpoint
            value_becomes(endpoint, number)
        assert started.end() == 0


def test_on_endpoints_that_only_one_process_can_have(folder: Path) -> None:
    endpoint = f"unix://{folder}/socket"
    with serving(folder, "app:Service", "--reload", at=endpoint) as started:
        assert value(started.endpoint()) == 1
        (folder / "part.py").write_text("VALUE = 22\n")
        assert value(started.endpoint()) == 22
        assert started.end(signal.SIGINT) == 0


def test_a_syntax_error_is_shown_and_the_next_change_is_waited_for(folder: Path) -> None:
    with serving(folder, "app:Service", "--reload") as started:
        endpoint = started.endpoint()
        (folder / "part.py").write_text("VALUE = (\n")
        started.until("SyntaxError: ")
        started.until("could not be started; the previous one still serves")
        assert value(endpoint) == 1
        (folder / "part.py").write_text("VALUE = 4\n")
        assert started.endpoint() == endpoint
        value_becomes(endpoint, 4)
        assert started.end() == 0


def test_a_module_that_is_broken_or_missing_to_begin_with(folder: Path) -> None:
    (folder / "part.py").unlink()
    with serving(folder, "app:Service", "--reload") as started:
        started.until("No module named 'part'")
        started.until("could not be started; the next attempt follows when a file changes")
        (folder / "part.py").write_text("VALUE = 1 / 0\n")
        started.until("ZeroDivisionError")
        started.until("could not be started")
        (folder / "part.py").write_text("VALUE = 7\n")
        assert value(started.endpoint()) == 7
        assert started.end() == 0


def test_modules_that_are_imported_later_count_as_well(folder: Path) -> None:
    (folder / "late.py").write_text("VALUE = 1\n")
    with serving(folder, "app:Service", "--reload") as started:
        endpoint = started.endpoint()
        with trunkline.Channel(endpoint) as channel:
            assert channel.call("Service/more", None, int) == 1
        change_once_found(started, folder / "late.py")
        assert started.endpoint() == endpoint
        assert started.end() == 0


def test_several_changes_at_once_are_one(folder: Path) -> None:
    with serving(folder, "app:Service", "--reload") as started:
        endpoint = started.endpoint()
        for number in range(10, 30):
            (folder / "part.py").write_text(f"VALUE = {number}\n{'#' * number}\n")
            (folder / "app.py").write_text(f"{APP}\n{'#' * number}\n")
            time.sleep(0.02)
        assert started.until("^(.*) changed: restarting") == "app.py, part.py"
        assert started.endpoint() == endpoint
        value_becomes(endpoint, 29)
        assert started.end() == 0
        started.close()
        assert not [line for line in started.rest() if "changed" in line]


def test_files_that_are_not_imported_and_other_folders_do_not_count(folder: Path) -> None:
    with serving(folder, "app:Service", "--reload") as started:
        started.endpoint()
        (folder / "other.py").write_text("x = 1\n")
        (folder / "notes.txt").write_text("x\n")
        time.sleep(1.0)
        assert started.end() == 0
        started.close()
        assert started.rest() == []


def test_calls_of_the_generation_before_end_in_peace(folder: Path) -> None:
    with serving(folder, "app:Service", "--reload", "--grace", "20") as started:
        endpoint = started.endpoint()
        with trunkline.Channel(endpoint) as channel:
            future = channel.submit("Service/linger", 2.0, str)
            channel.call("Service/value", None, int)
            (folder / "part.py").write_text("VALUE = 22\n")
            assert started.endpoint() == endpoint
            value_becomes(endpoint, 22)
            assert future.result(20) == "done"
        assert started.end() == 0


def test_idempotent_calls_see_no_gap(folder: Path) -> None:
    failures: list[str] = []
    over = threading.Event()

    def call_for_ever(endpoint: str) -> None:
        while not over.is_set():
            try:
                value(endpoint)
            except trunkline.RpcError as error:
                failures.append(str(error))

    with serving(folder, "app:Service", "--reload") as started:
        endpoint = started.endpoint()
        caller = threading.Thread(target=call_for_ever, args=(endpoint,))
        caller.start()
        for number in (2, 3):
            (folder / "part.py").write_text(f"VALUE = {number}{'#' * number}\n")
            started.endpoint()
            value_becomes(endpoint, number)
        over.set()
        caller.join()
        assert started.end() == 0
    assert not failures


def ended(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    return False


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGKILL])
def test_no_process_outlives_it(folder: Path, number: int) -> None:
    with serving(folder, "app:Service", "--reload") as started:
        with trunkline.Channel(started.endpoint()) as channel:
            pid = channel.call("Service/pid", None, int)
        assert pid != started.process.pid
        assert started.end(number) == (0 if number == signal.SIGTERM else -number)
        wait_until(lambda: ended(pid))


def test_a_server_that_dies_is_started_again_at_a_change(folder: Path) -> None:
    with serving(folder, "app:Service", "--reload") as started:
        endpoint = started.endpoint()
        with trunkline.Channel(endpoint) as channel:
            os.kill(channel.call("Service/pid", None, int), signal.SIGKILL)
        started.until("the server has ended with status -9")
        (folder / "part.py").write_text("VALUE = 22\n")
        assert started.endpoint() == endpoint
        assert value(endpoint) == 22
        assert started.end() == 0


#: A module whose import hangs, and which writes a file when it does.
HANGING = "import pathlib\nimport time\npathlib.Path('hangs').touch()\ntime.sleep(600)\n"


def test_a_signal_while_it_starts(folder: Path) -> None:
    (folder / "part.py").write_text(HANGING)
    with serving(folder, "app:Service", "--reload") as started:
        wait_until((folder / "hangs").exists)
        begin = time.monotonic()
        assert started.end() == 0
        assert time.monotonic() - begin < 60.0


def test_a_change_while_an_import_hangs(folder: Path) -> None:
    (folder / "part.py").write_text(HANGING)
    with serving(folder, "app:Service", "--reload") as started:
        wait_until((folder / "hangs").exists)
        (folder / "part.py").write_text("VALUE = 5\n")
        assert started.until("^(.*) changed: restarting") == "part.py"
        assert value(started.endpoint()) == 5
        assert started.end() == 0


def more_of(endpoint: str) -> int:
    with trunkline.Channel(endpoint) as channel:
        return channel.call("Service/more", None, int, idempotent=True, wait_for_ready=True, timeout=60.0)


def test_modules_that_workers_import_count_as_well(folder: Path) -> None:
    (folder / "late.py").write_text("VALUE = 1\n")
    with serving(folder, "app:Service", "--reload", "--workers", "2") as started:
        endpoint = started.endpoint()
        with trunkline.Channel(endpoint) as channel:
            assert channel.call("Service/more", None, int) == 1
        change_once_found(started, folder / "late.py")
        assert started.endpoint() == endpoint
        # One that is shutting down may still respond at first.
        assert any(more_of(endpoint) == 22 for _ in range(200))
        assert started.end() == 0


def test_generations_that_do_not_end_are_killed(folder: Path) -> None:
    stubborn = (
        "\nimport signal, threading, time\n\ndef stay() -> None:\n    time.sleep(600)\n\n"
        "threading.Thread(target=stay).start()\n"
    )
    (folder / "app.py").write_text(APP + stubborn)
    with serving(folder, "app:Service", "--reload", "--grace", "0.1") as started:
        endpoint = started.endpoint()
        with trunkline.Channel(endpoint) as channel:
            pid = channel.call("Service/pid", None, int)
        (folder / "app.py").write_text(APP)
        assert started.endpoint() == endpoint
        started.until("the previous server did not end in time and is killed")
        wait_until(lambda: ended(pid))
        assert started.end() == 0
