# SPDX-License-Identifier: MIT
"""Members of etcd on loopback, which a test may stop, kill and start again."""

from __future__ import annotations

import contextlib
import json
import os
import pathlib
import random
import signal
import subprocess
import time
from collections.abc import Iterator, Mapping, Sequence

CLIENT_PORT = 2379
PEER_PORT = 2380


class Member:
    """One process of etcd, with an address of its own."""

    def __init__(self, name: str, host: str, folder: pathlib.Path, scheme: str, arguments: Sequence[str]) -> None:
        self.host = host
        self.name = name
        client = f"{scheme}://{host}:{CLIENT_PORT}"
        self.peer = f"http://{host}:{PEER_PORT}"
        self._folder = folder
        self._arguments = [
            *("etcd", "--name", name, "--data-dir", str(folder / name)),
            *("--listen-client-urls", client, "--advertise-client-urls", client),
            *("--listen-peer-urls", self.peer, "--initial-advertise-peer-urls", self.peer),
            *("--heartbeat-interval", "50", "--election-timeout", "500", *arguments),
        ]
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        with open(self._folder / f"{self.name}.log", "ab") as log:
            self._process = subprocess.Popen(self._arguments, stdout=log, stderr=log)

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def suspend(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGSTOP)

    def resume(self) -> None:
        assert self._process is not None
        self._process.send_signal(signal.SIGCONT)


class EtcdCluster:
    """``options``: of ``etcdctl``, by the names of its environment variables."""

    def __init__(self, members: Sequence[Member], scheme: str, options: Mapping[str, str]) -> None:
        self.members = members
        self._endpoints = [f"{scheme}://{member.host}:{CLIENT_PORT}" for member in members]
        self._scheme = "etcds" if scheme == "https" else "etcd"
        self.environment = {**options, "ETCDCTL_API": "3"}

    def uri(self, prefix: str, user: str = "") -> str:
        """``user``: with the password, as "root:secret"."""
        hosts = ",".join(member.host for member in self.members)
        return f"{self._scheme}://{user + '@' if user else ''}{hosts}/{prefix}"

    def control(self, *arguments: str, endpoints: Sequence[str] | None = None) -> str:
        """The output of ``etcdctl``."""
        chosen = ",".join(endpoints or self._endpoints)
        done = subprocess.run(
            ["etcdctl", "--endpoints", chosen, *arguments],
            env={**os.environ, **self.environment},
            capture_output=True,
            text=True,
            timeout=60.0,
        )
        assert done.returncode == 0, f"etcdctl {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def insist(self, *arguments: str) -> str:
        """As ``control``, while members are down or elect a leader: for what may run twice."""
        deadline = time.monotonic() + 120.0
        while True:
            for endpoint in self._endpoints:
                try:
                    return self.control("--command-timeout", "1s", *arguments, endpoints=[endpoint])
                except AssertionError:
                    if time.monotonic() > deadline:
                        raise

    def put(self, key: str, value: object) -> None:
        self.insist("put", key, "--", value if isinstance(value, str) else json.dumps(value))

    def delete(self, key: str) -> None:
        self.insist("del", key)

    def keys(self, prefix: str) -> list[str]:
        return self.insist("get", "--prefix", "--keys-only", prefix).split()

    def leader(self) -> Member:
        """Once there is one: on a busy machine the members elect anew now and then."""
        deadline = time.monotonic() + 60.0
        while time.monotonic() < deadline:
            for member, endpoint in zip(self.members, self._endpoints, strict=True):
                status = json.loads(self.control("endpoint", "status", "-w", "json", endpoints=[endpoint]))[0]["Status"]
                if status["leader"] == status["header"]["member_id"]:
                    return member
        raise AssertionError("there is no leader")

    def wait_until_healthy(self) -> None:
        deadline = time.monotonic() + 120.0
        while True:
            try:
                for endpoint in self._endpoints:
                    self.control("get", "health", endpoints=[endpoint])
                return
            except (AssertionError, subprocess.TimeoutExpired):
                if time.monotonic() > deadline:
                    raise


@contextlib.contextmanager
def etcd_cluster(
    folder: pathlib.Path,
    count: int = 3,
    *,
    hosts: Sequence[str] | None = None,
    arguments: Sequence[str] = (),
    options: Mapping[str, str] | None = None,
) -> Iterator[EtcdCluster]:
    """``arguments``: of every member. With ``--cert-file`` among them clients use TLS."""
    folder.mkdir(exist_ok=True)
    scheme = "https" if "--cert-file" in arguments else "http"
    chosen = hosts or loopback_hosts(count)
    members = [Member(f"m{i}", host, folder, scheme, arguments) for i, host in enumerate(chosen)]
    names = ",".join(f"{member.name}={member.peer}" for member in members)
    for member in members:
        member._arguments += ["--initial-cluster", names, "--initial-cluster-state", "new"]
    cluster = EtcdCluster(members, scheme, options or {})
    try:
        for member in members:
            member.start()
        cluster.wait_until_healthy()
        yield cluster
    finally:
        for member in members:
            member.kill()


def loopback_hosts(count: int) -> list[str]:
    """Addresses that nobody else uses, so that the ports are free."""
    network = f"127.{random.randrange(10, 250)}.{random.randrange(256)}"
    return [f"{network}.{i + 1}" for i in range(count)]
