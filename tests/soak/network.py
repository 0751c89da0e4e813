# SPDX-License-Identifier: MIT
"""A network namespace of our own for a server, whose link can be cut, and disturbed where the kernel has netem."""

from __future__ import annotations

import os
import subprocess


def _run(*command: str) -> bool:
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0


class Namespace:
    """Made by ``make()``; ``remove()`` takes everything away again."""

    def __init__(self, name: str, near: str, far: str, address: str) -> None:
        self.name = name
        #: The addresses of the two ends: here, and where the server is.
        self._near = near
        self._far = far
        self.address = address
        self.has_netem = False

    @classmethod
    def make(cls) -> Namespace | None:
        """None: the privilege or iproute2 is missing."""
        number = os.getpid() % 250
        name = f"soak{os.getpid()}"
        near, far = f"skn{os.getpid()}", f"skf{os.getpid()}"
        made = cls(name, near, far, f"10.213.{number}.2")
        try:
            steps = [
                ("ip", "netns", "add", name),
                ("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name),
                ("ip", "addr", "add", f"10.213.{number}.1/24", "dev", near),
                ("ip", "link", "set", near, "up"),
                ("ip", "-n", name, "addr", "add", f"10.213.{number}.2/24", "dev", far),
                ("ip", "-n", name, "link", "set", far, "up"),
                ("ip", "-n", name, "link", "set", "lo", "up"),
            ]
            if not all(_run(*step) for step in steps):
                made.remove()
                return None
        except FileNotFoundError:
            return None
        made.has_netem = _run("tc", "qdisc", "add", "dev", near, "root", "netem", "delay", "2ms", "1ms", "loss", "0.5%")
        return made

    def command(self) -> list[str]:
        """What a command begins with that is to run in the namespace."""
        return ["ip", "netns", "exec", self.name]

    def set_up(self, is_up: bool) -> None:
        _run("ip", "link", "set", self._near, "up" if is_up else "down")

    def remove(self) -> None:
        _run("ip", "link", "del", self._near)
        _run("ip", "netns", "del", self.name)
