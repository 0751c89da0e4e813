# SPDX-License-Identifier: MIT
"""The definitions of built-in services: as in the repository, in a pool of their own, and without protobuf."""

from __future__ import annotations

import subprocess
import sys

import pytest
import trunkline
from google.protobuf import descriptor_pool
from trunkline.services import add_health, add_reflection

from .readme import ROOT


def test_the_embedded_definitions_are_those_of_the_repository() -> None:
    command = [sys.executable, str(ROOT / "scripts/embed-definitions"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


WITHOUT_PROTOBUF = """
import sys
sys.modules["google.protobuf"] = None
import trunkline
from trunkline import services

for add in (services.add_health, services.add_reflection, services.add_statistics):
    try:
        add(trunkline.Server())
    except ImportError as error:
        print(error)
"""


def test_without_protobuf_it_is_said_what_to_install() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_PROTOBUF], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        f"add {what}: it needs the package protobuf: pip install trunkline[protobuf]"
        for what in ("health", "reflection", "statistics")
    ]


def test_nothing_is_registered_in_the_pool_that_all_share() -> None:
    server = trunkline.Server()
    add_health(server)
    add_reflection(server)
    default = descriptor_pool.Default()
    for name in ("grpc/health/v1/health.proto", "grpc/reflection/v1/reflection.proto", "trunkline/v1/options.proto"):
        with pytest.raises(KeyError):
            default.FindFileByName(name)
