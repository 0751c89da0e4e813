# SPDX-License-Identifier: MIT
"""The client's half of TLS, in memory."""

import ssl


class Client:
    """Its bytes go wherever the caller puts them. The server's certificate is not verified."""

    def __init__(self):
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        context.set_alpn_protocols(["trunkline/1"])
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.object = context.wrap_bio(self.incoming, self.outgoing)

    def handshake(self, received=b""):
        """The bytes to send, and whether the handshake is complete."""
        if received:
            self.incoming.write(received)
        try:
            self.object.do_handshake()
            is_complete = True
        except ssl.SSLWantReadError:
            is_complete = False
        return self.outgoing.read(), is_complete

    def encrypt(self, data):
        self.object.write(data)
        return self.outgoing.read()


def client_hello():
    return Client().handshake()[0]


def connect(sock):
    """Completes the handshake over a socket with a timeout."""
    client, received = Client(), b""
    while True:
        output, is_complete = client.handshake(received)
        if output:
            sock.sendall(output)
        if is_complete:
            return client
        received = sock.recv(1 << 16)
        if not received:
            raise ConnectionError("the server has closed during the handshake")
