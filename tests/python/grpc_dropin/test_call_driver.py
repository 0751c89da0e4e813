# SPDX-License-Identifier: MIT
"""The thread that sends streaming calls which no thread waits for: how it begins, goes on and ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent import futures
from typing import Any

import pytest

import trunkline.grpc
from trunkline.grpc import _call_driver
from trunkline.grpc._call_driver import CallDriver

from ..waiting import wait_until
from .pairs import SOON, handler, method, text


class Answer:
    """Stands for the wait for an answer: runs ``wait`` and notes its thread."""

    def __init__(self, wait: Callable[[], object] = lambda: None) -> None:
        self._wait = wait
        self.waited = threading.Event()
        self.thread: threading.Thread | None = None

    def is_done(self) -> bool:
        return False

    def wait(self) -> None:
        self.thread = threading.current_thread()
        self.waited.set()
        self._wait()


def drive(driver: CallDriver, answer: Answer) -> Answer:
    operation: Any = answer
    driver.drive(operation)
    return answer


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread that nothing ends outlasts the test."""
    monkeypatch.setattr(_call_driver, "_PATIENCE", 1000.0)


def ended(thread: threading.Thread | None) -> bool:
    assert thread is not None
    thread.join(SOON)
    return not thread.is_alive()


def test_a_closed_driver_has_no_thread() -> None:
    driver = CallDriver()
    idle = drive(driver, Answer())
    assert idle.waited.wait(SOON)

    driver.close()

    assert ended(idle.thread)
    assert not drive(driver, Answer()).waited.is_set()


def test_a_driver_that_is_closed_while_it_waits_ends_afterwards() -> None:
    driver, released = CallDriver(), threading.Event()
    busy = drive(driver, Answer(lambda: released.wait(SOON)))
    assert busy.waited.wait(SOON)

    driver.close()
    released.set()

    assert ended(busy.thread)


def test_a_wait_that_fails_delays_no_other(caplog: pytest.LogCaptureFixture) -> None:
    def fail() -> None:
        raise MemoryError("a handler of the loop")

    driver = CallDriver()
    assert drive(driver, Answer(fail)).waited.wait(SOON)

    assert drive(driver, Answer()).waited.wait(SOON)
    driver.close()
    assert "a handler of the loop" in caplog.text


def test_a_signal_handler_may_make_calls_while_one_is_made() -> None:
    driver = CallDriver()
    with driver._changed:  # as a handler finds it
        inner = drive(driver, Answer())
        driver.close()
    assert not inner.waited.is_set() or ended(inner.thread)


def test_a_forked_child_needs_no_lock_that_another_thread_has() -> None:
    program = f"""
import os, signal, threading
from trunkline.grpc._call_driver import CallDriver
driver, held, released = CallDriver(), threading.Event(), threading.Event()
def hold():
    with driver._changed:
        held.set()
        released.wait()
thread = threading.Thread(target=hold)
thread.start()
held.wait()
child = os.fork()
if child == 0:
    signal.alarm({int(SOON)})
    driver.close()
    os._exit(7)
released.set()
thread.join()
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=3 * SOON)
    assert done.returncode == 0, done.stderr


def test_a_call_is_sent_although_a_signal_has_interrupted_who_waited_for_it() -> None:
    class Interruption(Exception):
        pass

    def ring(*_: object) -> None:
        raise Interruption

    begun = threading.Event()

    def letters(request: Any, context: Any) -> Any:
        begun.set()
        yield request

    server = trunkline.grpc.server(futures.ThreadPoolExecutor(2))
    handlers = {"Letters": handler(trunkline.grpc, "unary_stream", letters)}
    server.add_generic_rpc_handlers((trunkline.grpc.method_handlers_generic_handler("test.Text", handlers),))
    port = server.add_insecure_port("127.0.0.1:0")
    before = signal.signal(signal.SIGALRM, ring)
    try:
        with trunkline.grpc.insecure_channel(f"127.0.0.1:{port}") as channel:
            # The port listens, but is served only later: there is no answer until then.
            call = method(channel, "Letters", "unary_stream")(text("a"), timeout=10 * SOON, wait_for_ready=True)
            main = threading.main_thread().ident
            assert main is not None

            def interrupt() -> None:
                wait_until(call._awaiting_leading.locked)
                signal.pthread_kill(main, signal.SIGALRM)

            other = threading.Thread(target=interrupt)
            other.start()
            with pytest.raises(Interruption):
                call.initial_metadata()
            other.join()

            server.start()

            assert begun.wait(SOON)
            assert [each.value for each in call] == ["a"]
    finally:
        signal.signal(signal.SIGALRM, before)
        server.stop(None).wait(SOON)
