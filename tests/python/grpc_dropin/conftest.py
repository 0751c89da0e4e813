# SPDX-License-Identifier: MIT
"""The fixtures of these tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from .pairs import PAIRS, Pair


@pytest.fixture(params=list(PAIRS))
def pair(request: pytest.FixtureRequest) -> Pair:
    """Every pair of implementations."""
    return PAIRS[request.param]


@pytest.fixture(scope="session")
def pem(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """Keys and certificates of an authority, a server and a client."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    folder = tmp_path_factory.mktemp("tls")

    def run(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    run("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test ca", "-days", "2")
    for name in ("server", "client", "other", "elsewhere.test"):
        names = "DNS:elsewhere.test" if name == "elsewhere.test" else "DNS:localhost,IP:127.0.0.1"
        Path(folder / "names").write_text(f"subjectAltName={names}\n")
        run("req", *curve, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-days", "2"]
        run("x509", "-req", "-in", f"{name}.csr", *signing, "-out", f"{name}.pem")
    return {path.name: path.read_bytes() for path in folder.iterdir()}
