# SPDX-License-Identifier: MIT
"""TLS, with certificates of either side."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import trunkline

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("tls")

    def run(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], check=True, capture_output=True, cwd=folder)

    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    run("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test ca", "-days", "2")
    for name in ("server", "client", "other.test"):
        run("req", *curve, "-keyout", f"{name}.key", "-out", f"{name}.csr", "-subj", f"/CN={name}")
        names = "DNS:other.test" if name == "other.test" else "DNS:localhost,IP:127.0.0.1"
        Path(folder / "names").write_text(f"subjectAltName={names}\n")
        signing = ["-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names", "-days", "2"]
        run("x509", "-req", "-in", f"{name}.csr", *signing, "-out", f"{name}.pem")
    return {path.name: str(path) for path in folder.iterdir()}


def server(files: dict[str, str], **options: str) -> trunkline.Server:
    server = trunkline.Server(
        threads=2,
        certificate_file=files["server.pem"],
        private_key_file=files["server.key"],
        **options,  # type: ignore[arg-type]
    )

    @server.method
    def names(context: trunkline.Context) -> list[str]:
        return list(context.certificate_names)

    @server.method
    def certificate(context: trunkline.Context) -> str:
        return context.certificate_pem

    @server.method
    def who(context: trunkline.Context) -> str:
        return context.certificate_subject

    return server


def test_calls_over_tls(files: dict[str, str]) -> None:
    with server(files).serve("tls://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, ca_file=files["ca.pem"]) as channel:
            assert channel.call("who") == ""
            assert channel.call("certificate") == ""


def test_a_client_that_does_not_know_the_authority(files: dict[str, str]) -> None:
    with server(files).serve("tls://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint) as channel, pytest.raises(trunkline.Unavailable, match="certificate"):
            channel.call("who")


def test_certificates_of_both_sides(files: dict[str, str]) -> None:
    host = server(files, client_certificate="required", ca_file=files["ca.pem"])
    with host.serve("tls://127.0.0.1:0") as running:
        with trunkline.Channel(
            running.endpoint,
            ca_file=files["ca.pem"],
            certificate_file=files["client.pem"],
            private_key_file=files["client.key"],
        ) as channel:
            assert "client" in channel.call("who")
            assert channel.call("names") == ["DNS:localhost", "IP:127.0.0.1"]
            assert channel.call("certificate") == Path(files["client.pem"]).read_text()
        with trunkline.Channel(running.endpoint, ca_file=files["ca.pem"]) as channel:
            with pytest.raises(trunkline.Unavailable):
                channel.call("who")


def test_certificates_from_memory(files: dict[str, str]) -> None:
    pem = {name: Path(path).read_bytes() for name, path in files.items() if name.endswith((".pem", ".key"))}
    host = trunkline.Server(
        threads=1,
        client_certificate="required",
        certificate_pem=pem["server.pem"],
        private_key_pem=pem["server.key"].decode(),
        ca_pem=pem["ca.pem"],
    )
    host.add("who", lambda context: context.certificate_subject)

    with host.serve("tls://127.0.0.1:0") as running:
        with trunkline.Channel(
            running.endpoint, ca_pem=pem["ca.pem"], certificate_pem=pem["client.pem"], private_key_pem=pem["client.key"]
        ) as channel:
            assert "client" in channel.call("who")
    wrong: Any = 5
    with pytest.raises(TypeError, match="certificate_pem' is 5"):
        trunkline.Server(certificate_pem=wrong)
    with pytest.raises(trunkline.InvalidArgument, match="tls: certificate_pem: no start line"):
        trunkline.Server(certificate_pem="x", private_key_pem="y").serve("tls://127.0.0.1:0")


@pytest.mark.parametrize("form", ["files", "texts", "renewed"])
def test_several_names(files: dict[str, str], form: str) -> None:
    def read(name: str) -> bytes:
        return Path(files[name]).read_bytes()

    options: dict[str, Any] = {"certificate_file": files["server.pem"], "private_key_file": files["server.key"]}
    texts = {"certificate_pem": read("other.test.pem"), "private_key_pem": read("other.test.key").decode()}
    if form == "files":
        other = {"certificate_file": Path(files["other.test.pem"]), "private_key_file": files["other.test.key"]}
        options["additional_certificates"] = (other,)
    elif form == "texts":
        options["additional_certificates"] = [texts]
    else:
        options["renew_tls"] = lambda: (read("server.key"), read("server.pem"), None, [texts])
    host = trunkline.Server(threads=1, **options)
    host.add("up", lambda: True)

    with host.serve("tls://127.0.0.1:0") as running:
        for name in ("localhost", "other.test"):
            with trunkline.Channel(running.endpoint, ca_file=files["ca.pem"], server_name=name) as channel:
                assert channel.call("up") is True
        with trunkline.Channel(running.endpoint, ca_file=files["ca.pem"], server_name="third.test") as channel:
            with pytest.raises(trunkline.Unavailable, match="hostname mismatch"):
                channel.call("up")


@pytest.mark.parametrize(
    "value, text",
    [
        ({}, "additional_certificates' must be a list or tuple of dicts, not one dict"),
        ("pem", "additional_certificates' must be a list or tuple of dicts, not one str"),
        (["pem"], "additional_certificates' has a str, not dicts with a certificate each"),
        ([{"certificate": "x"}], "'certificate' is unknown, none of certificate_file"),
        ([{"certificate_pem": 5}], "'certificate_pem' is 5"),
        (5, "additional_certificates' must be a list or tuple of dicts, not one int"),
    ],
)
def test_additional_certificates_of_another_type(value: Any, text: str) -> None:
    with pytest.raises(TypeError, match=text):
        trunkline.Server(additional_certificates=value)


def test_additional_certificates_are_for_servers() -> None:
    options: Any = {"additional_certificates": []}
    with pytest.raises(TypeError, match="unknown option 'additional_certificates'"):
        trunkline.Channel("tcp://127.0.0.1:1", **options)


def test_a_renewal_may_leave_the_additional_certificates(files: dict[str, str]) -> None:
    other: trunkline.TlsCertificate = {
        "certificate_file": files["other.test.pem"],
        "private_key_file": files["other.test.key"],
    }
    key, chain = Path(files["server.key"]).read_bytes(), Path(files["server.pem"]).read_bytes()
    host = trunkline.Server(
        threads=1,
        certificate_pem=chain,
        private_key_pem=key,
        additional_certificates=[other],
        renew_tls=lambda: (key, chain, None),
    )
    host.add("up", lambda: True)

    with host.serve("tls://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, ca_file=files["ca.pem"], server_name="other.test") as channel:
            assert channel.call("up") is True


@pytest.mark.parametrize(
    "further, text",
    [([{"certificate": "x"}], "renew_tls: .*'certificate' is unknown"), ({}, "renew_tls: .*must be a list or tuple")],
)
def test_wrong_certificates_of_a_renewal_are_told(
    files: dict[str, str], further: Any, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    monkeypatch.setattr(sys, "unraisablehook", lambda raised: told.append(raised.exc_value))
    key, chain = Path(files["server.key"]).read_bytes(), Path(files["server.pem"]).read_bytes()
    host = trunkline.Server(
        threads=1, certificate_pem=chain, private_key_pem=key, renew_tls=lambda: (key, chain, None, further)
    )
    host.add("up", lambda: True)

    with host.serve("tls://127.0.0.1:0") as running:
        with trunkline.Channel(running.endpoint, ca_file=files["ca.pem"], server_name="localhost") as channel:
            assert channel.call("up") is True

    assert len(told) == 1 and isinstance(told[0], TypeError)
    assert re.search(text, str(told[0]))
