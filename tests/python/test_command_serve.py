# SPDX-License-Identifier: MIT
"""`trunkline serve` chooses an interpreter and passes its arguments on."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from .commanding import COMMAND, needs_command, run

pytestmark = needs_command

#: Stands for Python: exits with whether it has the module, and prints its arguments.
INTERPRETER = """#!/bin/sh
if [ "$1" = -c ]; then exit {status}; fi
echo "$0 $*"
exit 7
"""


def interpreter(path: Path, status: int = 0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(INTERPRETER.format(status=status))
    path.chmod(0o755)
    return path


def test_hands_arguments_and_the_exit_status_on(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "python")

    served = run("serve", "--python", str(python), "app:server", "--reload", "--workers", "2")

    assert (served.status, served.output) == (7, f"{python} -m trunkline.serve --reload --workers=2 app:server\n")


def test_hands_on_what_is_repeated_what_holds_last_and_what_it_does_not_know(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "python")
    given = ["--endpoint", "tcp://:1", "--health", "--endpoint=unix:@x", "--no-health", "--later", "7", "--grace", "-1"]

    served = run("serve", "app:server", "--python", str(python), *given)

    known = "--endpoint=tcp://:1 --health --endpoint=unix:@x --no-health --grace=-1"
    assert served.output == f"{python} -m trunkline.serve {known} app:server --later 7\n"


def test_help_and_completion_name_the_options_of_python() -> None:
    command = [sys.executable, "-m", "trunkline.serve", "--help"]
    of_python = set(re.findall(r"--[a-z]+[a-z-]*", subprocess.run(command, capture_output=True, text=True).stdout))

    of_help = set(re.findall(r"--[a-z]+[a-z-]*", run("serve", "--help").output))
    (completed,) = re.findall(r"^ +serve\) .*", run("completion", "bash").output, re.MULTILINE)

    assert of_python >= {"--endpoint", "--no-health"}
    assert of_python - {"--version"} <= of_help
    assert of_python - {"--version"} <= set(re.findall(r"--[a-z]+[a-z-]*", completed))


def test_prefers_the_virtual_environment_to_the_one_beside_it_and_that_to_the_path(tmp_path: Path) -> None:
    beside = tmp_path / "bin"
    beside.mkdir()
    shutil.copy(COMMAND, beside / "trunkline")
    on_path = interpreter(tmp_path / "path/python3")
    changes = {"PATH": f"{on_path.parent}:/usr/bin:/bin"}

    def chosen(**more: str) -> str:
        command = [str(beside / "trunkline"), "serve", "a:b"]
        ended = subprocess.run(command, capture_output=True, text=True, env={**changes, **more})
        return ended.stdout.split(" ")[0]

    assert chosen() == str(on_path)
    own = interpreter(beside / "python3")
    assert chosen() == str(own)
    environment = interpreter(tmp_path / "venv/bin/python3")
    assert chosen(VIRTUAL_ENV=str(tmp_path / "venv")) == str(environment)
    interpreter(environment, status=3)
    assert chosen(VIRTUAL_ENV=str(tmp_path / "venv")) == str(own)


def test_says_that_the_package_is_missing(tmp_path: Path) -> None:
    python = interpreter(tmp_path / "python", status=3)

    served = run("serve", "--python", str(python), "app:server")

    assert served.status == 1
    assert served.messages == (
        f"trunkline: serve: {python} has no module trunkline.serve; install the package with {python} -m pip install "
        "trunkline, or choose another interpreter with --python\n"
    )


def test_asks_a_real_interpreter(tmp_path: Path) -> None:
    package = tmp_path / "trunkline"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "serve.py").write_text("import sys\nprint(sys.argv[1:])\n")

    found = run("serve", "--python", sys.executable, "app:server", PYTHONPATH=str(tmp_path))
    missing = run("serve", "--python", sys.executable, "app:server", PYTHONHOME="/nowhere")

    assert found.output == "['app:server']\n"
    assert missing.status == 1
    assert "has no module trunkline.serve" in missing.messages


@pytest.mark.parametrize("given", ["/nowhere/python", "no-such-python"])
def test_an_interpreter_that_does_not_exist(given: str) -> None:
    assert run("serve", "--python", given, "a:b").messages == f"trunkline: --python {given}: not a program\n"
