# SPDX-License-Identifier: MIT
"""Waiting for signals: none is missed, whenever it arrives."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from types import FrameType

import pytest

from .command import serving
from .generation import python

#: Ends with 0 if a signal is heard at whichever step of ``wait`` it comes. A process of its own, as one that is not may
#: hang where nothing interrupts it.
EACH_STEP = """
import signal, sys
from trunkline._process.signals import expecting

def heard(step):
    "The steps there were, and what has been heard of a signal at that one."
    steps = 0

    def trace(frame, event, argument):
        nonlocal steps
        frame.f_trace_opcodes = True
        if event == "opcode":
            steps += 1
            if steps == step:
                signal.raise_signal(signal.SIGUSR1)
        return trace

    with expecting((signal.SIGUSR1,)) as wait:
        sys.settrace(trace)
        wait(0.0)
        sys.settrace(None)
        return steps, wait(0.0)

count, reported = heard(0)
assert count > 10 and reported is None
for step in range(1, count + 1):
    assert heard(step)[1] == signal.SIGUSR1, step
"""


def test_a_signal_at_any_step_of_the_wait_is_noticed(tmp_path: Path) -> None:
    done = python("-c", EACH_STEP, cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def heard_within(send: Callable[[], None], timeout: float | None) -> tuple[int | None, float]:
    from trunkline._process.signals import expecting

    with expecting((signal.SIGUSR1,)) as wait:
        sender = threading.Thread(target=send)
        sender.start()
        begin = time.monotonic()
        came = wait(timeout)
        took = time.monotonic() - begin
        sender.join()
    return came, took


@pytest.mark.parametrize("timeout", [None, 60.0])
def test_one_that_another_thread_has_taken_wakes_at_once(timeout: float | None) -> None:
    def send() -> None:
        time.sleep(0.2)
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)  # which does not interrupt the main thread

    came, took = heard_within(send, timeout)

    assert came == signal.SIGUSR1
    assert took < 20.0


def test_the_wakeup_descriptor_is_put_back() -> None:
    from trunkline._process.signals import expecting

    read, write = os.pipe()
    os.set_blocking(write, False)
    before = signal.set_wakeup_fd(write)
    try:
        with expecting((signal.SIGUSR1,)) as wait:
            assert wait(0.0) is None
        assert signal.set_wakeup_fd(before) == write
    finally:
        signal.set_wakeup_fd(before)
        os.close(read)
        os.close(write)


def test_workers_that_are_not_started_yet_when_the_end_comes_are_not_started() -> None:
    import trunkline
    from trunkline.serve._target import Target
    from trunkline.serve._workers import Workers

    asked = iter([False, True])
    workers = Workers(Target(trunkline.Server(), None), ["tcp://127.0.0.1:0"], 3, lambda: next(asked))

    count = len(workers.children)
    workers.shutdown(0.0)

    assert count == 1


def test_signals_between_the_fork_and_the_childs_first_step_are_the_parents(monkeypatch: pytest.MonkeyPatch) -> None:
    from trunkline._process.child import Child

    fork = os.fork

    def fork_and_signal() -> int:
        pid = fork()
        if pid == 0:
            signal.raise_signal(signal.SIGTERM)
        return pid

    def take(number: int, frame: FrameType | None) -> None:
        os._exit(17)

    monkeypatch.setattr(os, "fork", fork_and_signal)
    before = signal.signal(signal.SIGTERM, take)
    try:
        child = Child(lambda ready, stop: ready(), [])
        child.begin_stop(0.0)
        while child.exit_status() is None:
            time.sleep(0.01)
    finally:
        signal.signal(signal.SIGTERM, before)

    assert child.exit_status() == 0


@pytest.mark.parametrize("moment", range(8))
def test_the_end_of_a_supervisor_just_after_a_reload(tmp_path: Path, moment: int) -> None:
    application = tmp_path / "app.py"
    application.write_text("class Service:\n    def value(self) -> int:\n        return 1\n")
    with serving(tmp_path, "app:Service", "--reload", "--workers", "2", "--grace", "1") as started:
        endpoint = started.endpoint()
        application.write_text("class Service:\n    def value(self) -> int:\n        return 22\n")
        started.until("changed: restarting")
        if moment % 2:
            assert started.endpoint() == endpoint
        time.sleep(0.0002 * 3**moment if moment else 0.0)
        begin = time.monotonic()
        assert started.end() == 0
        assert time.monotonic() - begin < 15.0


