# SPDX-License-Identifier: MIT
"""Options of TLS for both sides of the conformance programs.

The folder in the environment variable INTEROP_CERTIFICATES is one that examples/06_tls/make_certificates has made.
Without the variable only endpoints without TLS work.
"""

from __future__ import annotations

import os
from typing import Any

_FOLDER = os.environ.get("INTEROP_CERTIFICATES", "")


def client_tls() -> dict[str, Any]:
    """Options of channels to a conformance server."""
    return {"ca_file": f"{_FOLDER}/ca.crt"} if _FOLDER else {}


def server_tls() -> dict[str, Any]:
    """Options of a conformance server."""
    if not _FOLDER:
        return {}
    return {"certificate_file": f"{_FOLDER}/server.crt", "private_key_file": f"{_FOLDER}/server.key"}
