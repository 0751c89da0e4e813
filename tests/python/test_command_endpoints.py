# SPDX-License-Identifier: MIT
"""The command over TLS and Unix sockets."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
import trunkline

from .commanding import needs_command, run
from .test_tls import files as files

pytestmark = [needs_command, pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")]


def who(**options: str) -> trunkline.Server:
    server = trunkline.Server(threads=1, **options)  # type: ignore[arg-type]

    @server.method
    def who(context: trunkline.Context) -> str:
        return context.certificate_subject

    return server


def test_tls(files: dict[str, str]) -> None:
    pair = {"certificate_file": files["server.pem"], "private_key_file": files["server.key"]}
    with who(**pair).serve("tls://127.0.0.1:0") as running:

        def call(*options: str) -> tuple[int, str]:
            called = run("call", running.endpoint, "who", "--codec", "json", *options)
            return called.status, called.output + called.messages

        assert call("--ca", files["ca.pem"]) == (0, '""\n')
        assert call("--ca", files["ca.pem"], "--server-name", "localhost") == (0, '""\n')
        assert call("--insecure") == (0, '""\n')
        stranger = call()
        wrong_name = call("--ca", files["ca.pem"], "--server-name", "example.com")

    assert stranger[0] == wrong_name[0] == 64 + 14
    assert "certificate" in stranger[1]
    assert "match" in wrong_name[1]


def test_an_own_certificate(files: dict[str, str]) -> None:
    pair = {"certificate_file": files["server.pem"], "private_key_file": files["server.key"]}
    server = who(**pair, ca_file=files["ca.pem"], client_certificate="required")
    with server.serve("tls://127.0.0.1:0") as running:
        request = ("call", running.endpoint, "who", "--codec", "json", "--ca", files["ca.pem"])
        known = run(*request, "--cert", files["client.pem"], "--key", files["client.key"])
        unknown = run(*request)

    assert (known.status, "client" in known.output) == (0, True)
    assert unknown.status == 64 + 14


def test_tls_is_asked_for_by_the_endpoint(files: dict[str, str]) -> None:
    server = who(certificate_file=files["server.pem"], private_key_file=files["server.key"])
    with server.serve("tls://127.0.0.1:0") as running:
        called = run("call", running.endpoint.replace("tls:", "tcp:"), "who", "--codec", "json")

    assert called.status == 64 + 14
    assert "it seems to speak TLS" in called.messages


def test_a_unix_socket(tmp_path: Path) -> None:
    endpoint = f"unix://{tmp_path}/socket"
    with who().serve(endpoint):
        assert run("call", endpoint, "who", "--codec", "json").output == '""\n'
