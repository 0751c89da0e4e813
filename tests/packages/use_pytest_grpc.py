# SPDX-License-Identifier: MIT
"""pytest-grpc: its fixtures serve and call a service over a connection, and in the process by its fake server."""

import implementation  # isort: skip

import pathlib

import pytest

TESTS = str(pathlib.Path(__file__).with_name("pytest_grpc_project") / "test_text.py")


def main() -> None:
    # The configuration of this repository has options of other plugins. pytest loads pytest-grpc by its entry point,
    # and would load Trunkline's plugin too.
    options = ["-q", "-c", "/dev/null", "-p", "no:cacheprovider", "-p", "no:trunkline.pytest_plugin"]
    options += ["--rootdir", str(pathlib.Path(TESTS).parent), TESTS]
    assert pytest.main(options) == 0
    assert pytest.main([*options, "--grpc-fake-server"]) == 0


if __name__ == "__main__":
    main()
    implementation.check()
