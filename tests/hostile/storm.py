# SPDX-License-Identifier: MIT
"""Storms of calls that are opened and cancelled at once."""

import wire

CALLS_OF_CHUNK = 1000


def pairs(peer, method, count, flags=wire.HAS_MESSAGE | wire.END):
    """Yields `count` calls with their cancellations, CALLS_OF_CHUNK at a time, for Peer.flood()."""
    for at in range(0, count, CALLS_OF_CHUNK):
        chunk = bytearray()
        for _ in range(min(CALLS_OF_CHUNK, count - at)):
            chunk += peer.call(method, b"", flags=flags)
            chunk += wire.cancel(peer.last_id)
        yield bytes(chunk)


def open_and_cancel(target, method, count, limit, flags=wire.HAS_MESSAGE | wire.END):
    """`count` pairs in one connection, until the server disconnects it. No more than `limit` handlers may have run at a
    time."""
    peer = target.connect()
    peer.patience = 10.0 if target.size.is_full else 5.0  # between pauses, which the server makes of 1 s each
    peer.flood(pairs(peer, method, count, flags))
    report = target.program.report()
    target.expect(report["peak_handlers"] <= limit, f"{report['peak_handlers']} handlers ran at a time, limit {limit}")
    target.note(f"at most {report['peak_handlers']} handlers at a time, {report['started_handlers']} in all")
    if peer.is_closed or peer.sends_failed:
        target.note(f"disconnected after {peer.last_id} calls")
