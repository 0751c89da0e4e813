# SPDX-License-Identifier: MIT
"""Servers of several processes, and their common end. Each scenario runs in its own process."""

from __future__ import annotations

import errno
import os

import pytest
from trunkline._process.child import Child

from .test_life import play, scenarios

pytestmark = scenarios

SERVE = """
channels = {}

def serve(workers):
    running = server.serve("tcp://127.0.0.1:0", workers=workers)
    for _ in range(1000):
        channel = trunkline.Channel(running.endpoint, max_retries=0)
        pid = channel.call("who")
        if channels.setdefault(pid, channel) is not channel:
            channel.close()
        if len(channels) == workers:
            return running
    raise AssertionError("not every process has got a connection")

lingering = threading.Event()

@server.method
def linger(request: float, context: trunkline.Context) -> int:
    lingering.set()
    end = time.monotonic() + request
    while time.monotonic() < end and not context.is_cancelled():
        time.sleep(0.01)
    return os.getpid()

@server.method
def has_begun() -> bool:
    return lingering.wait(20)
"""


def play_processes(script: str, expect: str = "") -> None:
    play(SERVE + "\nimport logging; logging.disable()\n" + script, expect=expect)


def test_every_process_has_the_grace_that_is_given() -> None:
    play_processes(
        """
running = serve(2)
futures = {pid: channel.submit("linger", 5.6) for pid, channel in channels.items()}
assert all(channel.call("has_begun") for channel in channels.values())
before = signal.getsignal(signal.SIGTERM)
def end():
    while signal.getsignal(signal.SIGTERM) is before:
        time.sleep(0.001)
    os.kill(os.getpid(), signal.SIGTERM)
threading.Thread(target=end).start()
running.run_until_signal(grace=20.0)
assert {pid: future.result(20) for pid, future in futures.items()} == {pid: pid for pid in channels}
"""
    )


@pytest.mark.parametrize("end", ["stop()", "shutdown(0.3)"])
def test_processes_end_together(end: str) -> None:
    play_processes(
        f"""
def end():
    channels.clear()
    running = serve(4)
    futures = [channel.submit("linger", 600.0) for channel in channels.values()]
    assert all(channel.call("has_begun") for channel in channels.values())
    begin = time.monotonic()
    try:
        running.{end}
    except trunkline.DeadlineExceeded:
        pass
    took = time.monotonic() - begin
    assert all(isinstance(future.exception(20), trunkline.Unavailable) for future in futures)
    return took

# Any one end may take longer on a busy machine; processes that waited for their calls would wait for 5 s at each.
assert any(end() < 4.0 for _ in range(5))
"""
    )


def test_processes_of_event_loops_end_together() -> None:
    play_processes(
        """
sleeping = 0

@async_server.method
async def count() -> int:
    return sleeping

@async_server.method
async def sleep(seconds: float) -> int:
    global sleeping
    sleeping += seconds > 0
    await asyncio.sleep(seconds)
    return os.getpid()

async def end():
    global sleeping
    sleeping = 0
    running = async_server.serve("tcp://127.0.0.1:0", workers=3)
    channels = {}
    while len(channels) < 3:
        channel = aio.Channel(running.endpoint, max_retries=0)
        channels.setdefault(await channel.call("sleep", 0.0), channel)
    calls = [asyncio.ensure_future(channel.call("sleep", 600.0)) for channel in channels.values()]
    for channel in channels.values():
        while not await channel.call("count"):
            await asyncio.sleep(0.001)
    begin = time.monotonic()
    try:
        await running.shutdown(0.3)
    except trunkline.DeadlineExceeded:
        pass
    took = time.monotonic() - begin
    await asyncio.gather(*calls, return_exceptions=True)
    return took

# Any one end may take longer on a busy machine; processes that waited for their calls would wait for 5 s at each.
assert any(asyncio.run(end()) < 4.0 for _ in range(5))
"""
    )


def test_a_child_notices_the_end_of_its_parent_despite_siblings() -> None:
    play_processes(
        """
running = serve(3)
supervisor = running._children[0]
os.kill(supervisor.pid, signal.SIGKILL)  # which ends its pipes, as the end of this process does
own = channels.pop(os.getpid())
deadline = time.monotonic() + 60.0
while channels:
    assert time.monotonic() < deadline
    for pid in list(channels):
        try:
            with open(f"/proc/{pid}/status") as status:
                is_zombie = "(zombie)" in status.read()  # if nothing waits for orphans here
        except FileNotFoundError:
            is_zombie = True
        if is_zombie:
            channels.pop(pid)
    time.sleep(0.01)
assert own.call("who") == os.getpid()
running.stop()
"""
    )


def test_a_worker_that_is_killed_is_reported_and_replaced() -> None:
    play(
        SERVE
        + """
import io, logging
log = open("/dev/shm/trunkline-test-%d" % os.getpid(), "a+")
os.unlink(log.name)
logging.basicConfig(stream=log, format="%(name)s %(message)s")
running = serve(3)
before = set(channels)
killed = next(pid for pid in before if pid != os.getpid())
os.kill(killed, signal.SIGKILL)
deadline = time.monotonic() + 60.0
found = set()
while len(found) < 3:
    assert time.monotonic() < deadline, found
    with trunkline.Channel(running.endpoint) as channel:
        try:
            found.add(channel.call("who", timeout=50.0))
        except trunkline.Unavailable:
            found.clear()  # it reached the worker that was about to die
    found.discard(killed)
replacement, = found - before
assert found == before - {killed} | {replacement}
running.shutdown()
for pid in found - {os.getpid()}:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        continue
    raise AssertionError("a worker is left")
log.seek(0)
lines = log.read().splitlines()
assert f"trunkline.server worker process {killed} was ended by SIGKILL and is replaced" in lines, lines
assert f"trunkline.server worker process {replacement} has been started as a replacement" in lines, lines
"""
    )


@pytest.mark.parametrize("kind", ["blocking", "aio"])
def test_a_supervisor_that_is_killed_is_reported(kind: str) -> None:
    play(
        SERVE
        + f"""
import io, logging
log = open("/dev/shm/trunkline-test-%d" % os.getpid(), "a+")
os.unlink(log.name)
logging.basicConfig(stream=log, format="%(name)s %(message)s")

def lines():
    log.seek(0)
    return log.read().splitlines()

def kill(running):
    pid = running._children[0].pid
    os.kill(pid, signal.SIGKILL)
    return (
        f"trunkline.server supervisor process {{pid}} was ended by SIGKILL; the worker processes end, "
        f"and process {{os.getpid()}} serves alone"
    )

deadline = time.monotonic() + 60.0
if "{kind}" == "blocking":
    running = server.serve("tcp://127.0.0.1:0", workers=2)
    wanted = kill(running)
    while wanted not in lines():
        assert time.monotonic() < deadline, lines()
        time.sleep(0.01)
    running.shutdown()
else:
    async def main():
        async with async_server.serve("tcp://127.0.0.1:0", workers=2) as running:
            wanted = kill(running)
            while wanted not in lines():
                assert time.monotonic() < deadline, lines()
                await asyncio.sleep(0.01)
    asyncio.run(main())
# An end that was asked for is no news.
before = len(lines())
with server.serve("tcp://127.0.0.1:0", workers=1):
    pass
assert len([line for line in lines() if "supervisor" in line]) == 1, lines()
"""
    )


def test_a_worker_of_event_loops_that_ends_is_replaced() -> None:
    play_processes(
        """
@async_server.method
async def pid() -> int:
    return os.getpid()

@async_server.method
async def end() -> None:
    os._exit(3)

async def main():
    async with async_server.serve("tcp://127.0.0.1:0", workers=2) as running:
        seen = set()
        ended = None
        deadline = time.monotonic() + 60.0
        while len(seen) < 3:
            assert time.monotonic() < deadline, seen
            async with aio.Channel(running.endpoint, max_retries=0) as channel:
                try:
                    other = await channel.call("pid")
                    seen.add(other)
                    if ended is None and other != os.getpid():
                        ended = other
                        await channel.call("end")
                except trunkline.Unavailable:
                    pass

asyncio.run(main())
"""
    )


def test_a_worker_that_does_not_start_ends_the_others() -> None:
    play_processes(
        """
from trunkline._process import child

started = []

def run(ready, stop):
    if len(started) == 2:
        raise ValueError("no third one")
    ready()
    child.read_grace(stop)

from trunkline._process.supervisor import supervising

def count(ready, stop):
    make = child.Child.__init__
    def counted(self, *arguments):
        make(self, *arguments)
        started.append(self.pid)
    child.Child.__init__ = counted
    supervising(run, 3)(ready, stop)

try:
    child.Child(count, ())
except RuntimeError as error:
    assert str(error) == "serve: a worker process did not start: ValueError: no third one", error
else:
    raise AssertionError("it has started")
"""
    )


@pytest.mark.parametrize("refused", ["fork", "first pipe", "second pipe"])
def test_a_refused_child_leaves_no_descriptors(monkeypatch: pytest.MonkeyPatch, refused: str) -> None:
    pipe = os.pipe
    pipes = 0

    def refuse() -> int:
        raise BlockingIOError(errno.EAGAIN, "refused")

    def count() -> tuple[int, int]:
        nonlocal pipes
        pipes += 1
        if (pipes == 1 and refused == "first pipe") or (pipes == 2 and refused == "second pipe"):
            refuse()
        return pipe()

    monkeypatch.setattr(os, "pipe", count)
    monkeypatch.setattr(os, "fork", refuse)
    before = os.listdir("/proc/self/fd")

    with pytest.raises(BlockingIOError, match="refused"):
        Child(lambda ready, stop: None, ())

    assert os.listdir("/proc/self/fd") == before


def test_what_children_print_is_printed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PYTHONUNBUFFERED", raising=False)
    play_processes(
        """
print("before")
@server.method
def show() -> None:
    print("shown")
running = serve(2)
for channel in channels.values():
    channel.call("show")
running.shutdown()
""",
        expect="before\nshown\nshown",
    )


def test_children_leave_signals_to_their_parent() -> None:
    play_processes(
        """
running = serve(3)
for number in (signal.SIGINT, signal.SIGTERM):
    for pid in channels:
        if pid != os.getpid():
            os.kill(pid, number)
            with open(f"/proc/{pid}/status") as status:
                ignored = next(int(line.split()[1], 16) for line in status if line.startswith("SigIgn"))
            assert ignored & 1 << number - 1, hex(ignored)
assert {pid: channel.call("who") for pid, channel in channels.items()} == {pid: pid for pid in channels}
running.stop()
"""
    )


def test_a_child_of_the_application_leaves_the_workers_alone() -> None:
    play_processes(
        """
running = serve(2)
pid = os.fork()
if pid == 0:
    running.stop()
    os._exit(0)
assert os.waitpid(pid, 0)[1] == 0
time.sleep(0.1)
assert {pid: channel.call("who") for pid, channel in channels.items()} == {pid: pid for pid in channels}
running.stop()
"""
    )
