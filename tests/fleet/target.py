# SPDX-License-Identifier: MIT
"""How clients find the servers: a list, a file, the DNS or etcd."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Sequence

from etcd import Etcd
from network import Network
from process import Process, ProcessError

PORT = 4000


class ListTarget:
    """All servers are in the URI."""

    name = "list"
    #: Where servers announce themselves; empty: nowhere.
    announced = ""

    def __init__(self, network: Network, folder: str) -> None:
        self._addresses: list[str] = []

    def uri(self, scheme: str) -> str:
        return f"{scheme}://" + ",".join(f"{address}:{PORT}" for address in self._addresses)

    def set(self, addresses: Sequence[str]) -> None:
        """Which servers the clients are to know. They are told of later changes."""
        assert not self._addresses or self._addresses == list(addresses), "a list cannot change"
        self._addresses = list(addresses)

    def close(self) -> None:
        pass


class FileTarget:
    """The servers are in a file, which is replaced."""

    name = "file"
    announced = ""

    def __init__(self, network: Network, folder: str) -> None:
        self._path = f"{folder}/fleet.json"

    def uri(self, scheme: str) -> str:
        return f"{scheme}+file://{self._path}"

    def set(self, addresses: Sequence[str]) -> None:
        with open(f"{self._path}.new", "w") as file:
            json.dump({"servers": [{"address": f"{address}:{PORT}"} for address in addresses]}, file)
        os.replace(f"{self._path}.new", self._path)

    def close(self) -> None:
        pass


class DnsTarget:
    """The servers are the addresses of a name. dnsmasq answers, on the far side of the link."""

    name = "dns"
    announced = ""

    def __init__(self, network: Network, folder: str) -> None:
        self._host = network.add_host()
        self._path = f"{folder}/hosts"
        # It knows all of the domain: there are no AAAA records, and nobody else to ask for them.
        knows = ("--no-resolv", "--no-hosts", "--local=/test/", "--local-ttl=1", f"--addn-hosts={self._path}")
        runs = ("--keep-in-foreground", "--conf-file=/dev/null", "--pid-file", "--user=root", "--log-facility=-")
        listens = f"--listen-address={self._host.address}"
        command = [*self._host.command(), "dnsmasq", *knows, *runs, listens]
        self._process = Process("dnsmasq", command, folder)

    def uri(self, scheme: str) -> str:
        return f"{scheme}+dns://{self._host.address}/fleet.test.:{PORT}?min_refresh=1"

    def set(self, addresses: Sequence[str]) -> None:
        with open(f"{self._path}.new", "w") as file:
            file.writelines(f"{address} fleet.test\n" for address in addresses)
        os.replace(f"{self._path}.new", self._path)
        if self._process.is_running:
            self._process.send(signal.SIGHUP)
        else:
            self._process.start()
            # Before that it does not answer, or does not know the name.
            self._process.wait_for_log(f"read {self._path}", 30.0)

    def close(self) -> None:
        self._process.end()


class EtcdTarget:
    """The servers announce themselves in etcd: below `announced`, once for each scheme of clients."""

    name = "etcd"

    def __init__(self, network: Network, folder: str) -> None:
        self.etcd = Etcd(network, folder)
        self.announced = f"etcd://{self.etcd.addresses}/services/fleet"

    def uri(self, scheme: str) -> str:
        return f"{self.announced}/{scheme}"

    def set(self, addresses: Sequence[str]) -> None:
        """Waits until the servers have announced themselves."""
        until = time.monotonic() + 30
        while len(self.etcd.keys("services/fleet")) < 2 * len(addresses):
            if time.monotonic() > until:
                raise ProcessError("the servers have not announced themselves within 30 s")
            time.sleep(0.2)

    def close(self) -> None:
        self.etcd.close()


Target = ListTarget | FileTarget | DnsTarget | EtcdTarget
TARGETS: dict[str, type[ListTarget] | type[FileTarget] | type[DnsTarget] | type[EtcdTarget]] = {
    made.name: made for made in (ListTarget, FileTarget, DnsTarget, EtcdTarget)
}
