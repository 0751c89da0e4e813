# SPDX-License-Identifier: MIT
"""Connections that stop before their hello."""


def hold(target, peers):
    """handshake_timeout must end all of them."""
    ended = sum(peer.wait_closed() for peer in peers)
    target.expect(ended == len(peers), f"{ended} of {len(peers)} connections were ended")
    target.note(f"{ended} of {len(peers)} disconnected")
