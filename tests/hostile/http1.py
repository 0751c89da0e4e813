# SPDX-License-Identifier: MIT
"""Requests of HTTP/1.1 as bytes, and a connection that sends them as they are."""

import re
import socket

OCTETS = "application/octet-stream"


def head(method, path, *fields, version="HTTP/1.1", host="Host: server"):
    """A head of lines that end with CR LF; `fields` are whole lines."""
    lines = (f"{method} {path} {version}", *((host,) if host else ()), *fields)
    return "".join(line + "\r\n" for line in (*lines, "")).encode()


def call(path, content=b"", *fields):
    """A call with its content."""
    return head("POST", path, f"Content-Type: {OCTETS}", f"Content-Length: {len(content)}", *fields) + content


class Http1Peer:
    """Owned by the target, which closes it."""

    def __init__(self, sock, count):
        self.sock = sock
        self.count = count

    def send(self, data):
        """False: the server has closed the connection."""
        try:
            self.sock.sendall(data)
        except OSError:
            return False
        self.count(len(data))
        return True

    def push(self, data, stall):
        """Sends until the server takes nothing for so many seconds."""
        before = self.sock.gettimeout()
        self.sock.settimeout(stall)
        try:
            self.send(data)
        finally:
            self.sock.settimeout(before)

    def read_request(self):
        """A whole request, as a server gets it; what has come of one whose client has closed the connection."""
        data = b""
        while True:
            head, end, content = data.partition(b"\r\n\r\n")
            length = re.search(rb"\r\ncontent-length: (\d+)", head)
            if end and len(content) >= int(length[1] if length else 0):
                return data
            part = self.sock.recv(65536)
            if not part:
                return data
            data += part

    def shut(self):
        """Nothing more is sent."""
        try:
            self.sock.shutdown(socket.SHUT_WR)
        except OSError:
            pass

    def read_all(self):
        """What the server sends until it closes the connection; None: it does not close it in time."""
        parts = []
        try:
            while part := self.sock.recv(65536):
                parts.append(part)
        except TimeoutError:
            return None
        except OSError:
            pass
        return b"".join(parts)

    def close(self):
        try:
            self.sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.sock.close()
