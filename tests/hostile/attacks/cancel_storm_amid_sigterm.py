# SPDX-License-Identifier: MIT
"""SIGTERM reaches a server of the attack's own while calls of every kind are opened and cancelled at once.

Bounds: the server drains within its time and ends with code 0, with no call, handler or queued job left. Each call of
another connection that it has begun and that nobody cancelled gets its response.
"""

import json
import signal

import storm
import wire
from program import MIB, Program

PEAK = 8 * MIB
METHODS = {
    "wait": wire.HAS_MESSAGE | wire.END,
    "deaf": wire.HAS_MESSAGE | wire.END,
    "block": wire.HAS_MESSAGE | wire.END,
    "chat": wire.HAS_MESSAGE,
}
WAITING = 100


def connect(target, port):
    peer = target.connect(port=port)
    peer.keeps_calls = True
    return peer


def storm_until_drained(peer, method, flags, count, server):
    """Sends a part of the storm, then the signal, and the rest until the server has closed the connection."""
    for number, chunk in enumerate(storm.pairs(peer, method, count, flags)):
        if number == 5:
            server.process.send_signal(signal.SIGTERM)
        yield chunk


def attack(target):
    for method, flags in METHODS.items():
        server = Program(target.folder / "hostile_server", "max_cancelled_calls_per_second=0")
        try:
            end_amid(target, server, method, flags)
        finally:
            server.kill()


def end_amid(target, server, method, flags):
    port = json.loads(server.read_line())["tcp"]
    waiting, stormy = connect(target, port), connect(target, port)
    # These calls end with the gate, which the server opens when the signal arrives.
    waiting.flood(waiting.call("deaf") for _ in range(WAITING))
    target.expect_report(lambda now: now["running_handlers"] == WAITING, "calls are not begun", program=server)

    stormy.flood(storm_until_drained(stormy, method, flags, target.count(1_000_000, 100_000), server))
    target.expect(waiting.wait(lambda: waiting.finishes == WAITING), f"{WAITING - waiting.finishes} calls have no end")
    target.close_peers()
    line, code = server.read_line(), server.process.wait(server.patience)

    target.expect(code == 0, f"{method}: the server ended with code {code}: {line}")
    target.expect(waiting.statuses == {wire.OK: WAITING}, f"{method}: waiting calls ended with {waiting.statuses}")
    last = json.loads(line[line.index("{") :])
    left = {name: last[name] for name in ("open_calls", "running_handlers", "queued_blocking_calls") if last[name]}
    target.expect(not left, f"{method}: the server ended with {left}")
    ended = sum(last[name] for name in ("calls_ok", "calls_failed", "calls_cancelled"))
    target.expect(last["calls_started"] == ended, f"{method}: of {last['calls_started']} calls {ended} have ended")
    target.note(f"{method}: {last['calls_started']} calls started, {last['calls_cancelled']} cancelled")
