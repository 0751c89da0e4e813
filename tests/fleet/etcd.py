# SPDX-License-Identifier: MIT
"""Three members of etcd, each on a host of its own."""

from __future__ import annotations

import json
import subprocess
import time
from dataclasses import dataclass

from network import Host, Network
from process import Process, ProcessError

CLIENT_PORT, PEER_PORT = 2379, 2380


@dataclass(frozen=True)
class Member:
    name: str
    host: Host
    process: Process

    @property
    def url(self) -> str:
        return f"http://{self.host.address}:{CLIENT_PORT}"


class Etcd:
    """Serves once it is made. close() ends it."""

    def __init__(self, network: Network, folder: str) -> None:
        hosts = [network.add_host() for _ in range(3)]
        names = [f"etcd{number}" for number in range(1, 4)]
        cluster = ",".join(f"{name}=http://{host.address}:{PEER_PORT}" for name, host in zip(names, hosts))
        self.members = [
            Member(name, host, Process(name, self._command(name, host, folder, cluster), folder))
            for name, host in zip(names, hosts)
        ]
        for member in self.members:
            member.process.start()
        try:
            self._wait_for_leader()
        except BaseException:
            self.close()
            raise

    @staticmethod
    def _command(name: str, host: Host, folder: str, cluster: str) -> list[str]:
        client, peer = f"http://{host.address}:{CLIENT_PORT}", f"http://{host.address}:{PEER_PORT}"
        options = {
            "name": name,
            "data-dir": f"{folder}/{name}.data",
            "listen-client-urls": client,
            "advertise-client-urls": client,
            "listen-peer-urls": peer,
            "initial-advertise-peer-urls": peer,
            "initial-cluster": cluster,
            "initial-cluster-token": folder,
            "logger": "zap",
            "log-level": "warn",
        }
        return [*host.command(), "etcd", *(f"--{key}={value}" for key, value in options.items())]

    def leader(self) -> Member | None:
        """None: there is none, or no member tells."""
        for member in self.members:
            if not member.process.is_running:
                continue
            command = [*member.host.command(), "etcdctl", "--command-timeout=2s", f"--endpoints={member.url}"]
            told = subprocess.run([*command, "endpoint", "status", "-w", "json"], capture_output=True, text=True)
            if told.returncode != 0:
                continue
            status = json.loads(told.stdout)[0]["Status"]
            if status.get("leader", 0) == status["header"]["member_id"]:
                return member
        return None

    def _wait_for_leader(self) -> None:
        until = time.monotonic() + 30
        while self.leader() is None:
            if time.monotonic() > until:
                raise ProcessError(f"etcd has no leader; its log:\n{self.members[0].process.log()}")
            time.sleep(0.2)

    def keys(self, prefix: str) -> list[str]:
        """Empty also if the first member does not answer."""
        first = self.members[0]
        command = [*first.host.command(), "etcdctl", "--command-timeout=2s", f"--endpoints={first.url}"]
        told = subprocess.run([*command, "get", "--prefix", "--keys-only", prefix], capture_output=True, text=True)
        return told.stdout.split()

    @property
    def addresses(self) -> str:
        return ",".join(f"{member.host.address}:{CLIENT_PORT}" for member in self.members)

    def close(self) -> None:
        for member in self.members:
            member.process.end()
