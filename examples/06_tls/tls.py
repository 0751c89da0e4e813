# SPDX-License-Identifier: MIT
"""TLS with client certificates: the server accepts only clients with one signed by its authority, and greets them by
name.

Usage: python tls.py CERTIFICATE_FOLDER serve ENDPOINT | call ENDPOINT    (the folder made by make_certificates)
"""

from __future__ import annotations

import sys
from pathlib import Path

import trunkline


def serve(folder: Path, endpoint: str) -> None:
    server = trunkline.Server(
        certificate_file=str(folder / "server.crt"),
        private_key_file=str(folder / "server.key"),
        ca_file=str(folder / "ca.crt"),
        client_certificate="required",
    )

    @server.method("WhoAmI")
    def who_am_i(context: trunkline.Context) -> bytes:
        return context.certificate_subject.encode()

    running = server.serve(endpoint)
    print(f"listening on {running.endpoint}", flush=True)
    running.run_until_signal(grace=5.0)
    print("stopped: ok")


def ask(channel: trunkline.Channel) -> str:
    with channel:
        try:
            return bytes(channel.call("WhoAmI", b"", bytes, timeout=10.0)).decode()
        except trunkline.RpcError as error:
            return str(error)


def call(folder: Path, endpoint: str) -> bool:
    authority = str(folder / "ca.crt")
    certificate, key = str(folder / "client.crt"), str(folder / "client.key")
    known = trunkline.Channel(endpoint, ca_file=authority, certificate_file=certificate, private_key_file=key)
    name = ask(known)
    print(f"with a certificate: {name}")
    stranger = ask(trunkline.Channel(endpoint, ca_file=authority))
    print(f"without one: {stranger}")
    untrusting = ask(trunkline.Channel(endpoint))  # trusts the system's authorities only
    print(f"not trusting the server: {untrusting}")
    return "CN=ann" in name and "unavailable" in stranger and "unavailable" in untrusting


def main() -> int:
    if len(sys.argv) != 4 or sys.argv[2] not in ("serve", "call"):
        print(f"usage: {sys.argv[0]} CERTIFICATE_FOLDER serve ENDPOINT | call ENDPOINT", file=sys.stderr)
        return 2
    folder, role, endpoint = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    if role == "call":
        return 0 if call(folder, endpoint) else 1
    serve(folder, endpoint)
    return 0


if __name__ == "__main__":
    sys.exit(main())
