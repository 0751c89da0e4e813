#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Serves grpcio_client by grpcio: without TLS, with it, and over a Unix socket.

Usage: grpcio_server.py GRPCIO_CLIENT
"""
import concurrent.futures
import subprocess
import sys
import tempfile
import threading

import grpc
from google.protobuf import any_pb2, wrappers_pb2 as wrappers

BYTES = (wrappers.BytesValue.FromString, wrappers.BytesValue.SerializeToString)
INT = (wrappers.Int64Value.FromString, wrappers.Int64Value.SerializeToString)
TEXT = (wrappers.StringValue.FromString, wrappers.StringValue.SerializeToString)


def varint(value):
    out = bytearray()
    while value > 0x7F:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes(out + bytes([value]))


def rpc_status(code, message, detail):
    """google.rpc.Status, whose package need not be installed."""
    packed = any_pb2.Any()
    packed.Pack(detail)
    packed = packed.SerializeToString()
    text = message.encode()
    return b"\x08" + varint(code) + b"\x12" + varint(len(text)) + text + b"\x1a" + varint(len(packed)) + packed


class Service:
    def __init__(self):
        self.cancelled = 0
        self.over = threading.Event()

    def echo(self, request, context):
        context.send_initial_metadata((("leading", "yes"),))
        context.set_trailing_metadata((("trailing", "yes"),))
        return request

    def fail(self, request, context):
        told = dict(context.invocation_metadata())
        message = "100 % café\n"
        details = rpc_status(9, message, wrappers.StringValue(value="why"))
        context.set_trailing_metadata((("told", told["tell"]), ("told-bin", told["tell-bin"]),
                                       ("grpc-status-details-bin", details)))
        context.abort(grpc.StatusCode.FAILED_PRECONDITION, message)

    def hang(self, request, context):
        self.over.wait(5)
        return request

    def range(self, request, context):
        for number in range(request.value):
            yield wrappers.Int64Value(value=number)

    def forever(self, request, context):
        def note():
            self.cancelled += 1

        context.add_callback(note)
        while context.is_active():
            yield request
            self.over.wait(0.01)

    def sum(self, requests, context):
        return wrappers.Int64Value(value=sum(request.value for request in requests))

    def chat(self, requests, context):
        yield from requests

    def count_cancelled(self, request, context):
        if self.cancelled == 0:
            self.over.wait(0.05)
        return wrappers.Int64Value(value=self.cancelled)

    def handlers(self):
        return grpc.method_handlers_generic_handler("interop.Grpc", {
            "Echo": grpc.unary_unary_rpc_method_handler(self.echo, *BYTES),
            "Fail": grpc.unary_unary_rpc_method_handler(self.fail, *TEXT),
            "Hang": grpc.unary_unary_rpc_method_handler(self.hang, *INT),
            "Cancelled": grpc.unary_unary_rpc_method_handler(self.count_cancelled, *INT),
            "Range": grpc.unary_stream_rpc_method_handler(self.range, *INT),
            "Forever": grpc.unary_stream_rpc_method_handler(self.forever, *INT),
            "Sum": grpc.stream_unary_rpc_method_handler(self.sum, *INT),
            "Chat": grpc.stream_stream_rpc_method_handler(self.chat, *BYTES),
        })


def certificate(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost",
                    "-keyout", f"{folder}/key.pem", "-out", f"{folder}/cert.pem"], check=True, capture_output=True)
    with open(f"{folder}/key.pem", "rb") as key, open(f"{folder}/cert.pem", "rb") as cert:
        return grpc.ssl_server_credentials([(key.read(), cert.read())])


def main():
    with tempfile.TemporaryDirectory() as folder:
        service = Service()
        server = grpc.server(concurrent.futures.ThreadPoolExecutor(16),
                             options=[("grpc.max_receive_message_length", 8 << 20)])
        server.add_generic_rpc_handlers((service.handlers(),))
        plain = server.add_insecure_port("127.0.0.1:0")
        secure = server.add_secure_port("127.0.0.1:0", certificate(folder))
        server.add_insecure_port(f"unix://{folder}/socket")
        server.start()
        endpoints = [f"grpc://127.0.0.1:{plain}", f"grpcs://localhost:{secure}", f"grpc+unix://{folder}/socket"]
        failed = [endpoint for endpoint in endpoints
                  if subprocess.run([sys.argv[1], endpoint], timeout=120, check=False).returncode != 0]
        service.over.set()
        server.stop(None)
        if failed:
            sys.exit(f"failed: {', '.join(failed)}")


if __name__ == "__main__":
    main()
