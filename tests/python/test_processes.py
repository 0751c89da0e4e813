# SPDX-License-Identifier: MIT
"""Servers of several processes, and their common end. Each scenario runs in its own process."""

from __future__ import annotations

import pytest

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
running = serve(4)
futures = [channel.submit("linger", 60.0) for channel in channels.values()]
assert all(channel.call("has_begun") for channel in channels.values())
begin = time.monotonic()
try:
    running.{end}
except trunkline.DeadlineExceeded:
    pass
assert time.monotonic() - begin < 4.0, time.monotonic() - begin
assert all(isinstance(future.exception(20), trunkline.Unavailable) for future in futures)
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

async def main():
    running = async_server.serve("tcp://127.0.0.1:0", workers=3)
    channels = {}
    while len(channels) < 3:
        channel = aio.Channel(running.endpoint, max_retries=0)
        channels.setdefault(await channel.call("sleep", 0.0), channel)
    calls = [asyncio.ensure_future(channel.call("sleep", 60.0)) for channel in channels.values()]
    for channel in channels.values():
        while not await channel.call("count"):
            await asyncio.sleep(0.001)
    begin = time.monotonic()
    try:
        await running.shutdown(0.3)
    except trunkline.DeadlineExceeded:
        pass
    assert time.monotonic() - begin < 4.0, time.monotonic() - begin
    await asyncio.gather(*calls, return_exceptions=True)

asyncio.run(main())
"""
    )


def test_a_child_notices_the_end_of_its_parent_despite_siblings() -> None:
    play_processes(
        """
running = serve(3)
first = running._children[0]
os.close(first._stop)  # as the end of the parent does
first._stop = -1
deadline = time.monotonic() + 10.0
while os.waitpid(first.pid, os.WNOHANG)[0] == 0:
    assert time.monotonic() < deadline
    time.sleep(0.01)
assert all(channel.call("who") == pid for pid, channel in channels.items() if pid != first.pid)
running.stop()
"""
    )


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
