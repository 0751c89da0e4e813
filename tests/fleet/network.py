# SPDX-License-Identifier: MIT
"""The network of a run: namespaces at one switch, and the clients behind a link with delay and loss.

                         switch (namespace "hub")
    clients --- link --- router      |   |   |
                            +--------+---+---+---
                                     s1  s2  s3 ...
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import dataclass

HERE = os.path.dirname(os.path.abspath(__file__))
#: Of the link between the clients and everything else, in each direction.
DELAY_MS, JITTER_MS, LOSS_PERCENT = 2.0, 1.0, 0.5
#: The name of its ends.
DEVICE = "delayed"


class NetworkError(Exception):
    pass


def run(*command: str) -> None:
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise NetworkError(f"{' '.join(command)}: {done.stderr.strip()}")


@dataclass(frozen=True)
class Host:
    """A namespace with an address at the switch."""

    namespace: str
    port: str
    address: str

    def command(self) -> list[str]:
        """What a command begins with that is to run here."""
        return ["ip", "netns", "exec", self.namespace]


class Network:
    """Nothing of it is seen outside its own namespaces. Ends with the `with` block."""

    ROUTER, LINK_NEAR, LINK_FAR = "10.211.0.1", "10.211.1.1", "10.211.1.2"

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._prefix = f"fleet{os.getpid()}"
        self._hub = f"{self._prefix}hub"
        self._clients = f"{self._prefix}clients"
        self._namespaces: list[str] = []
        self._hosts = 0
        self._link: subprocess.Popen[str] | None = None
        self.clients = Host(self._clients, "", self.LINK_FAR)
        #: How packets are delayed and lost.
        self.means = ""

    def __enter__(self) -> Network:
        try:
            self._make()
        except FileNotFoundError as error:
            raise NetworkError(f"{error.filename} is missing; install iproute2") from None
        except NetworkError:
            self._remove()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._remove()

    def _make(self) -> None:
        for namespace in (self._hub, self._clients):
            self._add_namespace(namespace)
        run("ip", "-n", self._hub, "link", "add", "switch", "type", "bridge")
        run("ip", "-n", self._hub, "addr", "add", f"{self.ROUTER}/24", "dev", "switch")
        run("ip", "-n", self._hub, "link", "set", "switch", "up")
        run("ip", "netns", "exec", self._hub, "sysctl", "-qw", "net.ipv4.ip_forward=1")
        near = ("ip", "-n", self._hub, "link", "add", DEVICE, "type", "veth")
        run(*near, "peer", "name", DEVICE, "netns", self._clients)
        self.means = "netem"
        if not self._add_netem():
            run("ip", "-n", self._hub, "link", "del", DEVICE)
            self.means = "a link in user space, as this kernel has no netem"
            self._start_link()
        for namespace, near_end, far_end in (
            (self._hub, self.LINK_NEAR, self.LINK_FAR),
            (self._clients, self.LINK_FAR, self.LINK_NEAR),
        ):
            run("ip", "-n", namespace, "addr", "add", near_end, "peer", far_end, "dev", DEVICE)
            run("ip", "-n", namespace, "link", "set", DEVICE, "up")
        run("ip", "-n", self._clients, "route", "add", "default", "via", self.LINK_NEAR)

    def _add_namespace(self, name: str) -> None:
        run("ip", "netns", "add", name)
        self._namespaces.append(name)
        run("ip", "-n", name, "link", "set", "lo", "up")

    def _add_netem(self) -> bool:
        netem = ("netem", "delay", f"{DELAY_MS}ms", f"{JITTER_MS}ms", "loss", f"{LOSS_PERCENT}%")
        try:
            for namespace in (self._hub, self._clients):
                run("tc", "-n", namespace, "qdisc", "add", "dev", DEVICE, "root", *netem)
        except NetworkError:
            return False
        return True

    def _start_link(self) -> None:
        command = [sys.executable, f"{HERE}/link.py", str(self._seed), str(DELAY_MS), str(JITTER_MS)]
        command += [str(LOSS_PERCENT), self._hub, DEVICE, self._clients, DEVICE]
        self._link = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._link.stdout is not None
        if self._link.stdout.readline() != "listening\n":
            raise NetworkError("the link does not start")

    def add_host(self) -> Host:
        self._hosts += 1
        host = Host(f"{self._prefix}h{self._hosts}", f"port{self._hosts}", f"10.211.0.{self._hosts + 10}")
        self._add_namespace(host.namespace)
        pair = ("ip", "-n", self._hub, "link", "add", host.port, "type", "veth", "peer", "name", "eth0")
        run(*pair, "netns", host.namespace)
        run("ip", "-n", host.namespace, "addr", "add", f"{host.address}/24", "dev", "eth0")
        run("ip", "-n", host.namespace, "link", "set", "eth0", "up")
        run("ip", "-n", host.namespace, "route", "add", "default", "via", self.ROUTER)
        run("ip", "-n", self._hub, "link", "set", host.port, "up")
        self.join(host)
        return host

    def cut(self, host: Host) -> None:
        """Nothing reaches the host, and nothing comes from it; neither side is told."""
        run("ip", "-n", self._hub, "link", "set", host.port, "nomaster")

    def join(self, host: Host) -> None:
        run("ip", "-n", self._hub, "link", "set", host.port, "master", "switch")

    def _remove(self) -> None:
        if self._link is not None:
            self._link.terminate()
            self._link.wait()
            assert self._link.stdout is not None
            self._link.stdout.close()
        for name in self._namespaces:
            # A device that is being removed may hold its namespace for a moment.
            for _ in range(10):
                if subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL).returncode == 0:
                    break
                time.sleep(0.1)
