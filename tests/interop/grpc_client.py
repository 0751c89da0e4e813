#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Calls grpc_server by grpcio: every kind of call, deadlines, errors, metadata, long messages, cancellation, drain.

Usage: grpc_client.py GRPC_SERVER
"""
import concurrent.futures
import queue
import subprocess
import sys
import tempfile
import time

import grpc
from google.protobuf import wrappers_pb2 as wrappers

BYTES = (wrappers.BytesValue.SerializeToString, wrappers.BytesValue.FromString)
INT = (wrappers.Int64Value.SerializeToString, wrappers.Int64Value.FromString)
TEXT = (wrappers.StringValue.SerializeToString, wrappers.StringValue.FromString)


def expect(condition, text):
    if not condition:
        raise AssertionError(text)


class Cases:
    def __init__(self, channel):
        self.echo = channel.unary_unary("/interop.Grpc/Echo", *BYTES)
        self.fail = channel.unary_unary("/interop.Grpc/Fail", *TEXT)
        self.throw = channel.unary_unary("/interop.Grpc/Throw", *TEXT)
        self.missing = channel.unary_unary("/interop.Grpc/Missing", *TEXT)
        self.hang = channel.unary_unary("/interop.Grpc/Hang", *INT)
        self.cancelled = channel.unary_unary("/interop.Grpc/Cancelled", *INT)
        self.range = channel.unary_stream("/interop.Grpc/Range", *INT)
        self.sum = channel.stream_unary("/interop.Grpc/Sum", *INT)
        self.chat = channel.stream_stream("/interop.Grpc/Chat", *BYTES)

    def unary(self):
        for size in (0, 1, 100, 16384 - 5, 16384, 65535, 70000):
            message = wrappers.BytesValue(value=b"x" * size)
            expect(self.echo(message, timeout=20) == message, f"echo of {size} bytes")
        for number in range(500):
            message = wrappers.BytesValue(value=str(number).encode())
            expect(self.echo(message, timeout=20) == message, f"echo {number}")

    def long_messages(self):
        message = wrappers.BytesValue(value=bytes(range(256)) * 4096)
        with concurrent.futures.ThreadPoolExecutor(8) as pool:
            futures = [self.echo.future(message, timeout=60) for _ in range(200)]
            expect(all(pool.map(lambda future: future.result() == message, futures)), "200 messages of 1 MiB")

    def too_long(self):
        message = wrappers.BytesValue(value=b"x" * (65 << 20))
        expect(self.code_of(self.echo, message) == grpc.StatusCode.RESOURCE_EXHAUSTED, "65 MiB")

    def compressed(self):
        message = wrappers.BytesValue(value=b"compressible " * 10000)
        response = self.echo(message, timeout=20, compression=grpc.Compression.Gzip)
        expect(response == message, "gzip")
        response = self.echo(message, timeout=20, compression=grpc.Compression.Deflate)
        expect(response == message, "deflate")

    def code_of(self, method, message, **options):
        try:
            method(message, **{"timeout": 20, **options})
        except grpc.RpcError as error:
            return error.code()
        return grpc.StatusCode.OK

    def errors(self):
        try:
            self.fail(wrappers.StringValue(value="x"), timeout=20, metadata=(("trailing-a", "b"),))
            raise AssertionError("no error")
        except grpc.RpcError as error:
            expect(error.code() == grpc.StatusCode.FAILED_PRECONDITION, error.code())
            expect(error.details() == "100 % café\n", error.details())
            trailing = dict(error.trailing_metadata())
            expect(trailing["trailing-a"] == "b", trailing)
            details = trailing["grpc-status-details-bin"]
            for part in (b"type.googleapis.com/google.protobuf.Duration", b"example.com/opaque", b"\x00\xff"):
                expect(part in details, f"{part} in {details}")
        text = wrappers.StringValue(value="x")
        expect(self.code_of(self.throw, text) == grpc.StatusCode.INTERNAL, "throw")
        expect(self.code_of(self.missing, text) == grpc.StatusCode.UNIMPLEMENTED, "missing")

    def metadata(self):
        sent = (("leading-text", "a b"), ("leading-bytes-bin", b"\x00\xff,"), ("trailing-text", "c"),
                ("trailing-bytes-bin", b""), ("leading-long", "x" * 4000))
        response, call = self.echo.with_call(wrappers.BytesValue(), timeout=20, metadata=sent)
        leading, trailing = dict(call.initial_metadata()), dict(call.trailing_metadata())
        for name, value in sent:
            got = (leading if name.startswith("leading") else trailing).get(name)
            expect(got == value, f"{name}: {got!r}")
        too_much = (("leading-long", "x" * 20000),)
        code = self.code_of(self.echo, wrappers.BytesValue(), metadata=too_much)
        expect(code == grpc.StatusCode.RESOURCE_EXHAUSTED, f"headers of 20 kB: {code}")

    def streams(self):
        responses = [value.value for value in self.range(wrappers.Int64Value(value=2000), timeout=20)]
        expect(responses == list(range(2000)), "range")
        expect(list(self.range(wrappers.Int64Value(), timeout=20)) == [], "an empty range")
        total = self.sum((wrappers.Int64Value(value=i) for i in range(1000)), timeout=20)
        expect(total.value == 499500, total)
        expect(self.sum(iter(()), timeout=20).value == 0, "an empty sum")
        sent = [wrappers.BytesValue(value=bytes([i % 256]) * (i * 500)) for i in range(200)]
        expect(list(self.chat(iter(sent), timeout=60)) == sent, "chat")

    def ping_pong(self):
        pending = queue.SimpleQueue()
        pending.put(b"first")
        call = self.chat((wrappers.BytesValue(value=value) for value in iter(pending.get, None)), timeout=20,
                         metadata=(("leading-a", "b"),))
        for number, answer in enumerate(call):
            pending.put(answer.value + b"." if number < 100 else None)
        expect(answer.value == b"first" + b"." * 100, answer)
        expect(dict(call.initial_metadata())["leading-a"] == "b", "leading metadata of a stream")

    def deadlines(self):
        begun = time.monotonic()
        code = self.code_of(self.hang, wrappers.Int64Value(), timeout=0.2)
        expect(code == grpc.StatusCode.DEADLINE_EXCEEDED, code)
        expect(time.monotonic() - begun < 10, "a deadline")

    def cancellation(self):
        before = self.cancelled(wrappers.Int64Value(), timeout=20).value
        call = self.hang.future(wrappers.Int64Value())
        time.sleep(0.2)
        call.cancel()
        for _ in range(200):
            if self.cancelled(wrappers.Int64Value(), timeout=20).value > before:
                break
            time.sleep(0.02)
        else:
            raise AssertionError("the handler was not cancelled")
        stream = self.range(wrappers.Int64Value(value=10**9))
        expect(next(stream).value == 0, "the first of many")
        stream.cancel()
        self.unary()


def play(channel, names):
    cases = Cases(channel)
    for name in names:
        getattr(cases, name)()
        print(f"{name}: ok", flush=True)


class Server:
    """Runs the server, and drains it while a channel is open."""

    def __init__(self, program, *arguments):
        self.process = subprocess.Popen([program, *arguments], stdout=subprocess.PIPE, text=True)
        self.target = self.process.stdout.readline().split()[-1].split("//")[1]

    def __enter__(self):
        return self

    def drain(self):
        self.process.terminate()
        stopped = self.process.stdout.readline().strip()
        expect(stopped == "stopped: ok", stopped)
        expect(self.process.wait(20) == 0, "exit code")

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()


def make_certificate(folder):
    """The paths of a certificate for localhost and of its key."""
    paths = [f"{folder}/{name}.pem" for name in ("certificate", "key")]
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=localhost",
                    "-addext", "subjectAltName=DNS:localhost", "-out", paths[0], "-keyout", paths[1]],
                   check=True, capture_output=True)
    return paths


def main(program):
    # The channel's own limits are not what is tested.
    options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1),
               ("grpc.max_metadata_size", 64 << 10), ("grpc.absolute_max_metadata_size", 64 << 10),
               ("grpc.enable_retries", 0)]
    with Server(program, "tcp://127.0.0.1:0") as server, grpc.insecure_channel(server.target, options) as channel:
        play(channel, ("unary", "metadata", "errors", "streams", "ping_pong", "deadlines", "cancellation",
                       "compressed", "long_messages", "too_long"))
        server.drain()
    with tempfile.TemporaryDirectory() as folder:
        certificate, key = make_certificate(folder)
        with open(certificate, "rb") as file:
            credentials = grpc.ssl_channel_credentials(file.read())
        with Server(program, "tls://127.0.0.1:0", certificate, key) as server:
            target = server.target.replace("127.0.0.1", "localhost")
            with grpc.secure_channel(target, credentials, options) as channel:
                print("over tls")
                play(channel, ("unary", "streams"))
                server.drain()
    print("all cases: ok")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
