# SPDX-License-Identifier: MIT
"""What happens to a fleet under load, and what is expected of its calls."""

from __future__ import annotations

import signal
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from etcd import Etcd
from fleet import Fleet, Server
from process import ProcessError
from target import EtcdTarget


@dataclass(frozen=True)
class Span:
    """When an event began, and when everything was as before; monotonic time, in seconds."""

    begun: float
    over: float


@dataclass(frozen=True)
class Event:
    name: str
    targets: tuple[str, ...]
    #: Makes the event happen. The second argument: seconds for which a server is out, or names stay changed.
    run: Callable[[Fleet, float], Span]
    #: Calls that are not idempotent may fail as possibly run, if they were on the server that the event concerns.
    may_lose_calls: bool
    #: Seconds from the beginning of the event within which those calls have begun: until a client knows.
    detected_within: float = 0.0


def kill(fleet: Fleet, outage: float) -> Span:
    server = fleet.servers[0]
    begun = time.monotonic()
    server.process.kill()
    time.sleep(outage)
    server.process.start()
    return Span(begun, time.monotonic())


def stop(fleet: Fleet, outage: float) -> Span:
    server = fleet.servers[1]
    begun = time.monotonic()
    server.process.send(signal.SIGSTOP)
    time.sleep(outage)
    server.process.send(signal.SIGCONT)
    return Span(begun, time.monotonic())


def cut(fleet: Fleet, outage: float) -> Span:
    host = fleet.servers[2].host
    begun = time.monotonic()
    fleet.network.cut(host)
    time.sleep(outage)
    fleet.network.join(host)
    return Span(begun, time.monotonic())


def roll(fleet: Fleet, outage: float) -> Span:
    """The next server waits until clients have had the time to find the last one again."""
    begun = time.monotonic()
    for server in fleet.servers:
        if server is not fleet.servers[0]:
            time.sleep(outage)
        server.drain()
        server.process.start()
    return Span(begun, time.monotonic())


def change_names(fleet: Fleet, outage: float) -> Span:
    first, second, third = fleet.servers
    begun = time.monotonic()
    steps: Sequence[Sequence[Server]] = ((first, second), (third,), (second, third), fleet.servers)
    for step, servers in enumerate(steps):
        if step > 0:
            time.sleep(outage)
        fleet.tell(servers)
    return Span(begun, time.monotonic())


def kill_leader(fleet: Fleet, outage: float) -> Span:
    etcd = etcd_of(fleet)
    begun = time.monotonic()
    leader = etcd.leader()
    if leader is None:
        raise ProcessError("etcd has no leader")
    leader.process.kill()
    time.sleep(outage)
    leader.process.start()
    return Span(begun, time.monotonic())


def lose_etcd(fleet: Fleet, outage: float) -> Span:
    """Once it is back, a server is replaced: clients and servers must be in touch with it again."""
    etcd = etcd_of(fleet)
    begun = time.monotonic()
    for member in etcd.members:
        member.process.kill()
    time.sleep(12 * outage)
    for member in etcd.members:
        member.process.start()
    time.sleep(2 * outage)
    fleet.servers[0].drain()
    time.sleep(outage)
    fleet.servers[0].process.start()
    return Span(begun, time.monotonic())


def etcd_of(fleet: Fleet) -> Etcd:
    assert isinstance(fleet.target, EtcdTarget)
    return fleet.target.etcd


ALL = ("list", "file", "dns", "etcd")
CHANGING = ("file", "dns")
EVENTS = [
    Event("kill", ALL, kill, may_lose_calls=True, detected_within=0.5),
    Event("stop", ALL, stop, may_lose_calls=True, detected_within=3.0),
    Event("cut", ALL, cut, may_lose_calls=True, detected_within=3.0),
    Event("roll", ALL, roll, may_lose_calls=False),
    Event("names", CHANGING, change_names, may_lose_calls=False),
    Event("leader", ("etcd",), kill_leader, may_lose_calls=False),
    Event("etcd", ("etcd",), lose_etcd, may_lose_calls=False),
]
