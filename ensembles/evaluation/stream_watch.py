"""What a stream says of itself while it runs, and what may be wanted of it meanwhile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

__all__ = ["StreamNews", "StreamWatch"]


@dataclass(frozen=True)
class StreamNews:
    """How far a stream has come.

    Attributes
    ----------
    seen : int
        Examples taken from the stream so far, since its beginning.
    error, window_error, fading_error : float in [0, 1]
        Of all predictions so far, of the last ones, and fading, as the curves of the result have them.
    seconds : float
        That the learner took so far, without reading.
    reading_seconds : float
        Spent waiting for examples so far.
    model_bytes : int
        Memory of the learner.
    drifts, replaced : int
        Changes that members found so far, and members that began anew; 0 for learners that know of none.
    """

    seen: int
    error: float
    window_error: float
    fading_error: float
    seconds: float
    reading_seconds: float
    model_bytes: int
    drifts: int = 0
    replaced: int = 0


class StreamWatch(Protocol):
    """Who looks at a stream while it runs. Called in the thread that learns: each call must be short."""

    def begin(self) -> bytes | None:
        """Return the snapshot from which to go on, None to start at the beginning."""
        ...

    def tell(self, news: StreamNews, share: float) -> None:
        """Hear how far it has come, and which share of the stream that is: each second, before `keep`, and at the end."""
        ...

    def wants_snapshot(self) -> bool:
        """Whether a snapshot is wanted now; asked after every batch."""
        ...

    def most_model_bytes(self) -> float:
        """Return how large the model that a trial ends with may be to be kept; 0 where nobody wants it."""
        ...

    def keep(self, snapshot: bytes) -> None:
        """Keep a snapshot: with it a run goes on and comes to the same digits as one that was never interrupted."""
        ...
