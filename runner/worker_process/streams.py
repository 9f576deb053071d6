"""Streams that run in this process: what they tell goes to who listens, their snapshots wait here until they are fetched."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from threading import Condition
from typing import Any, Literal

from ensembles.errors import NotFound
from ensembles.evaluation.stream_watch import StreamNews

__all__ = [
    "PIECE_BYTES",
    "TOPIC",
    "Stopping",
    "StreamsHere",
    "WorkerWatch",
    "ask_for_snapshots",
    "put_snapshot_piece",
    "streams_here",
    "take_snapshot_piece",
]

TOPIC = "ensemble-lab-streams"
"""Under which events of streams go through Dask's scheduler."""

PIECE_BYTES = 16 * 2**20
"""So much of a snapshot goes in one message."""

_FIRST_SECONDS = 3.0  # trials that are shorter tell nothing
_NEWS_SECONDS = 1.0
_SNAPSHOT_SECONDS = 300.0
_PATIENCE_SECONDS = 60.0  # with a snapshot that is said to come

Stopping = Literal["at once", "with snapshots"]
"""How trials of a run shall end: a stream may take a snapshot before."""

Place = tuple[str, str]
"""A run, and the key of a trial of it."""


@dataclass(frozen=True)
class _Taken:
    number: int
    content: bytes
    seen: int


class StreamsHere:
    """What threads that run trials and the thread of Dask that answers questions say to each other.

    Attributes
    ----------
    stopping : dict of str to str
        Runs whose trials shall end.
    """

    def __init__(self) -> None:
        self.stopping: dict[str, Stopping] = {}
        self._wanted: dict[str, int] = {}
        self._taken: dict[Place, _Taken] = {}
        self._coming: dict[Place, list[bytes]] = {}
        self._come: dict[Place, bytes] = {}
        self._arrival, self._numbers = Condition(), count(1)

    def wanted(self, run: str) -> int:
        """Return how often snapshots were asked for."""
        return self._wanted.get(run, 0)

    def ask(self, run: str) -> None:
        """Ask the streams of a run for snapshots."""
        self._wanted[run] = self.wanted(run) + 1

    def keep(self, place: Place, snapshot: bytes, seen: int) -> int:
        """Keep a snapshot in the place of the one before; return its number."""
        taken = self._taken[place] = _Taken(next(self._numbers), snapshot, seen)
        return taken.number

    def piece(self, place: Place, number: int, position: int) -> tuple[int, int, int, bytes] | None:
        """Return number, length, examples and one piece of the newest snapshot; None where it is not `number` any more.

        0 stands for any number.
        """
        taken = self._taken.get(place)
        if taken is None or number not in (0, taken.number):
            return None
        start = position * PIECE_BYTES
        return taken.number, len(taken.content), taken.seen, taken.content[start : start + PIECE_BYTES]

    def put_piece(self, place: Place, position: int, n_pieces: int, piece: bytes) -> None:
        """Take a piece of a snapshot from which a trial shall go on; they come in order."""
        pieces = self._coming[place] = [*self._coming.get(place, ())[:position], piece]
        if len(pieces) == n_pieces:
            with self._arrival:
                self._come[place] = b"".join(self._coming.pop(place))
                self._arrival.notify_all()

    def await_snapshot(self, place: Place, is_stopped: Callable[[], bool]) -> bytes | None:
        """Return the snapshot that was sent ahead for a trial, once it is here; None when the trial shall stop.

        Raises
        ------
        NotFound
            It does not come.
        """
        deadline = time.monotonic() + _PATIENCE_SECONDS
        with self._arrival:
            while place not in self._come:
                if is_stopped():
                    return None
                if time.monotonic() > deadline:
                    raise NotFound(f"the snapshot of trial {place[1]} has not come to this worker")
                self._arrival.wait(0.25)
            return self._come.pop(place)

    def forget(self, run: str) -> None:
        """Forget all about a run that is over."""
        self.stopping.pop(run, None)
        self._wanted.pop(run, None)
        for kept in (self._taken, self._coming, self._come):
            for place in [place for place in list(kept) if place[0] == run]:
                kept.pop(place, None)

    def end(self, place: Place) -> None:
        """Forget the snapshots of a trial that has ended."""
        self._taken.pop(place, None)


streams_here = StreamsHere()


class WorkerWatch:
    """Looks at one stream that runs in this process; a `StreamWatch`.

    Parameters
    ----------
    send : callable
        Takes what is told, as plain values, from any thread.
    begin : bytes, optional
        The snapshot from which to go on.
    most_model_bytes : float
        How large the model may be that is kept when the stream ends.
    """

    def __init__(
        self,
        run: str,
        key: str,
        send: Callable[[dict[str, Any]], None],
        begin: bytes | None = None,
        streams: StreamsHere = streams_here,
        clock: Callable[[], float] = time.monotonic,
        most_model_bytes: float = 0.0,
    ) -> None:
        self._place, self._send, self._snapshot = (run, key), send, begin
        self._streams, self._clock = streams, clock
        self._most_model_bytes, self._is_long = most_model_bytes, begin is not None
        self._has_begun = self._is_kept = False
        self._begun = self._told = self._kept_at = clock()
        self._answered, self._seen = streams.wanted(run), 0
        self._untold: dict[str, Any] = {}

    def begin(self) -> bytes | None:
        """Return the snapshot from which to go on, None to start at the beginning."""
        self._has_begun, self._begun, self._kept_at = True, self._clock(), self._clock()
        begin, self._snapshot = self._snapshot, None
        return begin

    def tell(self, news: StreamNews, share: float) -> None:
        """Send on how far it has come, not more often than people look, and nothing of what is soon over."""
        now, self._seen = self._clock(), news.seen
        plain = {name: value if isinstance(value, int) else float(value) for name, value in asdict(news).items()}
        self._untold = {"news": plain, "share": share}
        if now - self._begun >= _FIRST_SECONDS and now - self._told >= 0.9 * _NEWS_SECONDS:
            self._tell_last()

    def most_model_bytes(self) -> float:
        """Return how large a model is kept: 0 of what is soon over, which is trained again as soon."""
        return self._most_model_bytes if self._is_long else 0.0

    def wants_snapshot(self) -> bool:
        """Return whether a snapshot is wanted: as the trial shall end, somebody asked, or the last is minutes old."""
        if self._is_leaving():
            return not self._is_kept
        asked = self._streams.wanted(self._place[0]) > self._answered
        return asked or self._clock() - self._kept_at > _SNAPSHOT_SECONDS

    def keep(self, snapshot: bytes) -> None:
        """Keep a snapshot, tell how far it goes, and that it is here to be fetched."""
        self._tell_last()
        self._answered, self._is_kept = self._streams.wanted(self._place[0]), self._is_leaving()
        self._kept_at = self._clock()
        number = self._streams.keep(self._place, snapshot, self._seen)
        self._tell(snapshot=number, size=len(snapshot))

    def may_end(self) -> bool:
        """Return whether a trial that shall stop need not take a snapshot before."""
        return not self._has_begun or self._is_kept or not self._is_leaving()

    def _tell_last(self) -> None:
        if self._untold:
            self._tell(**self._untold)
            self._untold, self._told, self._is_long = {}, self._clock(), True

    def _is_leaving(self) -> bool:
        return self._streams.stopping.get(self._place[0]) == "with snapshots"

    def _tell(self, **said: object) -> None:
        run, key = self._place
        self._send({"run": run, "key": key, **said})


def ask_for_snapshots(run: str) -> None:
    """Ask the streams of a run that go on in this process for snapshots."""
    streams_here.ask(run)


def take_snapshot_piece(run: str, key: str, number: int, position: int) -> tuple[int, int, int, bytes] | None:
    """Return a piece of the snapshot of a trial, as `StreamsHere.piece`."""
    return streams_here.piece((run, key), number, position)


def put_snapshot_piece(run: str, key: str, position: int, n_pieces: int, piece: Sequence[bytes]) -> None:
    """Take a piece of the snapshot from which a trial shall go on; in a list, as Dask writes plain bytes into a log."""
    streams_here.put_piece((run, key), position, n_pieces, piece[0])
