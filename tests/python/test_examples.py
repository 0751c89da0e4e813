# SPDX-License-Identifier: MIT
"""The examples: servers and clients in both languages, in all pairs."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import trunkline

EXAMPLES = Path(__file__).parents[2] / "examples"
#: Where the C++ examples have been built; without it only Python's are played.
BUILT = os.environ.get("TRUNKLINE_BUILT_EXAMPLES", "")
LANGUAGES = ["python", "cpp"] if BUILT else ["python"]

#: Examples whose two sides are one program: `PROGRAM serve ENDPOINT` and `PROGRAM call ENDPOINT`.
PROGRAMS = ["07_custom_codec", "08_custom_compressor", "09_interceptor"]

Command = list[str]


def program(language: str, folder: str) -> Command:
    name = folder[3:]
    return [f"{BUILT}/example_{name}"] if language == "cpp" else [sys.executable, str(EXAMPLES / folder / f"{name}.py")]


@pytest.fixture(scope="session")
def certificates(tmp_path_factory: pytest.TempPathFactory) -> str:
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl")
    folder = str(tmp_path_factory.mktemp("certificates"))
    subprocess.run([EXAMPLES / "06_tls" / "make_certificates", folder], check=True)
    return folder


@pytest.fixture
def with_tls(certificates: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers present a certificate at tls:// endpoints, and clients trust its authority."""
    monkeypatch.setenv("EXAMPLE_CERTIFICATE_FILE", f"{certificates}/server.crt")
    monkeypatch.setenv("EXAMPLE_PRIVATE_KEY_FILE", f"{certificates}/server.key")
    monkeypatch.setenv("SSL_CERT_FILE", f"{certificates}/ca.crt")


def play(server: Command, endpoint: str, client: Callable[[str], Command]) -> tuple[str, str]:
    """Returns the output of client and server. Both must end with success, the server after SIGTERM."""
    serving = subprocess.Popen([*server, endpoint], stdout=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        chosen = serving.stdout.readline().removeprefix("listening on ").strip()
        called = subprocess.run(client(chosen), capture_output=True, text=True, timeout=250)
        assert called.returncode == 0, called.stdout + called.stderr
        serving.send_signal(signal.SIGTERM)
        served = serving.communicate(timeout=100)[0]
        assert serving.returncode == 0, served
        assert "stopped: ok" in served
        return called.stdout, served
    finally:
        serving.kill()
        serving.communicate()


def spoken(endpoint: str, scheme: str) -> str:
    """What a client calls to speak another protocol on a server's endpoint."""
    return f"{scheme}:{endpoint.split(':', 1)[1]}"


def listening(scheme: str) -> str:
    """Where a server listens for clients of a scheme. It answers every protocol there."""
    return "tls://localhost:0" if scheme in ("tls", "grpcs") else "tcp://127.0.0.1:0"


schemes = pytest.mark.parametrize("scheme", ["tcp", "grpc", "grpcs"])
tls_schemes = pytest.mark.parametrize("scheme", ["tls", "grpcs"])
pairs = pytest.mark.parametrize(
    ("server", "client"), [(server, client) for server in LANGUAGES for client in LANGUAGES]
)


@pytest.mark.skipif(shutil.which("protoc") is None, reason="needs protoc")
@pytest.mark.usefixtures("with_tls")
@schemes
@pairs
def test_services(server: str, client: str, scheme: str, tmp_path: Path) -> None:
    """Examples 01 to 05, hosted by one server."""
    servers = {"python": [sys.executable, str(EXAMPLES / "example_server.py")], "cpp": [f"{BUILT}/example_server"]}
    clients = {
        "python": [sys.executable, str(EXAMPLES / "quickstart_client.py")],
        "cpp": [f"{BUILT}/quickstart_client"],
    }
    files = sorted(str(path) for path in (EXAMPLES / "01_echo").glob("*.cpp"))
    # Pieces may end anywhere: inside of words, of characters, and of bytes that are not text.
    odd = tmp_path / "odd"
    odd.write_bytes(b"\xff\xfe \xe4\xb8\x00a\x85b\xa0c\x1cd\n" + "\u00fc\u2003\u00fc \v\f\r\t".encode() * 9000)
    files.append(str(odd))

    called, _ = play(
        servers[server], listening(scheme), lambda endpoint: [*clients[client], spoken(endpoint, scheme), *files]
    )

    assert "all responses are right" in called
    for name in ("echo:", "arith:", "word count:", "countdown:", "chat:"):
        assert name in called


@tls_schemes
@pairs
def test_tls(server: str, client: str, scheme: str, certificates: str) -> None:
    called, _ = play(
        [*program(server, "06_tls"), certificates, "serve"],
        listening(scheme),
        lambda endpoint: [*program(client, "06_tls"), certificates, "call", spoken(endpoint, scheme)],
    )

    assert "with a certificate: " in called and "CN=ann" in called


@pytest.mark.usefixtures("with_tls")
@pytest.mark.parametrize("folder", PROGRAMS)
@schemes
@pairs
def test_program(folder: str, server: str, client: str, scheme: str) -> None:
    called, served = play(
        [*program(server, folder), "serve"],
        listening(scheme),
        lambda endpoint: [*program(client, folder), "call", spoken(endpoint, scheme)],
    )

    expected = {
        "07_custom_codec": "mirror of (3, -4): (-3, 4)",
        "08_custom_compressor": "echoed 100000 bytes, compressed 1 times, decompressed 1 times",
        "09_interceptor": "with the token: hi\nwithout: unauthenticated: ",
    }
    assert expected[folder] in called
    if folder == "09_interceptor":
        assert "the server counted 1 ok, 1 failed" in served


@pytest.mark.skipif(not Path(f"{BUILT}/example_python_handlers").exists(), reason="needs example 10 in C++")
@pytest.mark.usefixtures("with_tls")
@schemes
def test_python_handlers_in_a_cpp_server(scheme: str) -> None:
    command = [f"{BUILT}/example_python_handlers", str(EXAMPLES / "10_python_handlers"), listening(scheme), "3"]
    serving = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    try:
        assert serving.stdout is not None
        lines = [serving.stdout.readline() for _ in range(3)]
        assert len(set(lines)) == 1 and lines[0].startswith(f"listening on {listening(scheme)[:-1]}"), lines
        endpoint = spoken(lines[0].removeprefix("listening on ").strip(), scheme)
        seen = set()
        for _ in range(200):
            with trunkline.Channel(endpoint) as channel:
                assert channel.call("Python/Greet", b"world", timeout=20.0) == b"hello, world"
                seen.add(int(channel.call("Python/Who", b"", timeout=20.0)))
            if len(seen) == 3:
                break
        assert len(seen) == 3 and serving.pid in seen
        with trunkline.Channel(endpoint) as channel:
            with pytest.raises(trunkline.Internal, match="handler of Python/Greet raised an exception"):
                channel.call("Python/Greet", b"", timeout=20.0)
            names = [str(number).encode() for number in range(1000)]
            assert list(channel.map("Python/Greet", names, window=64)) == [b"hello, " + name for name in names]
        serving.send_signal(signal.SIGTERM)
        served, errors = serving.communicate(timeout=100)
        assert (serving.returncode, served) == (0, "stopped: ok\n" * 3)
        assert "ValueError: name is empty" in errors
    finally:
        if serving.poll() is None:
            serving.terminate()  # it ends its other processes
            serving.communicate(timeout=100)
