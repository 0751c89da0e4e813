# SPDX-License-Identifier: MIT
"""Results of a contest that are made up for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from harness import results
from harness.load import Load

RATES = {"limit": 1e6, "ours": 6e5, "peer": 3e4}


def run_of(rate: float) -> dict[str, Any]:
    commands = {"server": "build/x serve", "client": "build/x call"}
    told = {"calls": 1_000_000, "seconds": 1, "calls_per_second": rate, "p50_us": 2.0, "p99_us": 9.5}
    return {**told, "commands": commands}


def cell_of(name: str, load: Load) -> dict[str, Any]:
    runs = {who: [run_of(rate * factor) for factor in (0.9, 1, 1.2)] for who, rate in RATES.items()}
    runs["crasher"] = [{"failed": "client: ended with -11"}] * 2
    return {"name": name, "load": load.to_json(), "runs": runs, "cannot": {"modest": "has no echo"}}


def about(title: str, **more: Any) -> dict[str, Any]:
    made = {"title": title, "language": "C++", "settings": "as told | advised", "version": "1.2", "missing": ""}
    return {**made, "is_limit": False, "is_ours": False, **more}


@pytest.fixture
def sample() -> dict[str, Any]:
    return {
        "format": 1,
        "command": "bench/contest/run --table main",
        "started": "2025-03-04T05:06:07+00:00",
        "timing": {"seconds": 1.0, "warmup": 0.3, "rounds": 3, "pin": True},
        "load_average_before": 0.25,
        "machine": {
            "processor": "Some CPU",
            "cores": 2,
            "virtual": True,
            "kernel": "6.1",
            "system": "Debian",
            "go": "",
        },
        "contestants": {
            "limit": about("bare socket", is_limit=True),
            "ours": about("Trunkline", is_ours=True),
            "peer": about("Peer"),
            "crasher": about("Crasher"),
            "modest": about("Modest"),
            "gone": about("Gone", version="", missing="apt-get: no such package"),
        },
        "tables": {
            "main": {"cells": [cell_of("8/1/1", Load()), cell_of("8/1/50", Load(outstanding=50))]},
            "connections": {
                "cells": [
                    cell_of(f"8/{count}/{count}", Load(connections=count, outstanding=count)) for count in (1, 100)
                ]
            },
        },
    }


def write(tmp_path: Path, sample: dict[str, Any], name: str = "results.json") -> Path:
    path = tmp_path / name
    results.write(sample, path)
    return path
