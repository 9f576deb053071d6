"""The way of snapshots of streams from workers and back to them, in pieces."""

from collections.abc import Callable
from typing import Any

from runner.worker_process.streams import PIECE_BYTES, put_snapshot_piece, take_snapshot_piece

__all__ = ["Ask", "Snapshot", "fetch_snapshot", "send_snapshot"]

Ask = Callable[..., dict[str, Any]]
"""Calls a function with arguments in the workers `addresses`; returns answers or errors by worker."""

Snapshot = tuple[int, bytes]
"""After about how many examples it was taken, and its content."""


def fetch_snapshot(ask: Ask, address: str, run: str, key: str, most_bytes: float) -> Snapshot | None:
    """Return the newest snapshot of a trial; None where the worker has none, has died, or it takes over `most_bytes`."""
    pieces: list[bytes] = []
    number = 0
    while True:
        said = ask(take_snapshot_piece, run, key, number, len(pieces), addresses=[address]).get(address)
        if said is None or isinstance(said, BaseException):
            return None  # a newer one has come meanwhile, and is told of too
        number, length, seen, piece = said
        pieces.append(piece)
        if length > most_bytes:
            return None
        if len(pieces) * PIECE_BYTES >= length:
            return seen, b"".join(pieces)


def send_snapshot(ask: Ask, address: str, run: str, key: str, snapshot: bytes) -> None:
    """Send the snapshot from which a trial shall go on to the worker where it will."""
    starts = range(0, max(len(snapshot), 1), PIECE_BYTES)
    for position, start in enumerate(starts):
        piece = [snapshot[start : start + PIECE_BYTES]]
        ask(put_snapshot_piece, run, key, position, len(starts), piece, addresses=[address])
