# SPDX-License-Identifier: MIT
"""The examples' protobuf classes, made from their .proto files without a build step."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

HERE = Path(__file__).parent


def load(proto: str) -> dict[str, Any]:
    """Message classes of a file of this folder by their names, e.g. ``load("01_hello/hello.proto")["HelloRequest"]``."""
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run(["protoc", f"-I{HERE}", f"--descriptor_set_out={file.name}", HERE / proto], check=True)
        described = descriptor_pb2.FileDescriptorSet.FromString(Path(file.name).read_bytes())
    pool = descriptor_pool.DescriptorPool()
    for each in described.file:
        pool.Add(each)
    found = pool.FindFileByName(proto)
    return {name: message_factory.GetMessageClass(kind) for name, kind in found.message_types_by_name.items()}
