"""How a stream went: what the model took on the way, how quick it was, and how soon it was itself again after changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.curve import Curve
from ensembles.evaluation.error_curves import WINDOW
from ensembles.evaluation.finding import DECIMALS
from ensembles.evaluation.model_size import bytes_of

__all__ = ["MARGIN", "MODEL_SIZE", "Recovery", "StreamCourse"]

MODEL_SIZE = "model_size"
"""Name of the curve of the bytes of the model."""

MARGIN = 0.02  #: how much higher an error may be that counts as that of before
_SIZES = 100  # times that the model is looked at
_MILLIONTHS = 1e6 / 2**30 / 3600.0  # of a GB for an hour, in a byte for a second


class StreamCourse:
    """What is kept of a stream of n examples beside its predictions.

    Parameters
    ----------
    first, n : int
        Examples before the first prediction, and all there are.
    changes : sequence of int
        After how many examples the concept changes, as far as it is known.
    sized : bool
        Whether to look at the size of the model on the way.
    """

    def __init__(self, first: int, n: int, changes: Sequence[int], *, sized: bool) -> None:
        self._first, self._n = first, n
        marks = np.unique(np.linspace(first, n, _SIZES + 1).round().astype(np.int64))[1:]
        self._marks: list[int] = marks.tolist() if sized else []
        self._looked: list[list[float]] = []  # seconds of the processor so far, and bytes, at each mark
        self._seconds = 0.0
        self._recovery = Recovery([change - first for change in changes], n - first) if len(changes) else None

    def add(
        self, position: int, wrong: npt.NDArray[np.bool_], learner: Any, seconds: float, cpu_seconds: float
    ) -> None:
        """Take note of the next predictions, after which the stream is at `position`, and of the seconds so far."""
        self._seconds = seconds
        if self._recovery is not None:
            self._recovery.add(wrong)
        done = len(self._looked)
        if done < len(self._marks) and position >= self._marks[done]:
            size = float(bytes_of(learner))
            while len(self._looked) < len(self._marks) and position >= self._marks[len(self._looked)]:
                self._looked.append([cpu_seconds, size])

    @property
    def ram_hours(self) -> float:
        """Millionths of RAM-hours, one of which is a GB (2^30 bytes) for an hour of the processor; NaN if not looked at.

        As MOA adds them up: at each look the size of the model times the time since the last.
        """
        if not self._looked:
            return float("nan")
        seconds, sizes = np.array(self._looked).T
        return float(np.diff(seconds, prepend=0.0) @ sizes * _MILLIONTHS)

    @property
    def throughput(self) -> float:
        """Examples a second, reading not counted."""
        return self._n / self._seconds if self._seconds > 0.0 else float("nan")

    @property
    def recovery(self) -> float:
        """As `Recovery.mean`; NaN where no change is known."""
        return float("nan") if self._recovery is None else self._recovery.mean

    def curves(self) -> dict[str, Curve]:
        """Return `model_size`: the bytes of the model at up to 100 points; nothing if it was not looked at."""
        if not self._looked:
            return {}
        x = tuple(float(mark) for mark in self._marks[: len(self._looked)])
        return {MODEL_SIZE: Curve(x, tuple(size for _, size in self._looked))}


class Recovery:
    """After how many examples the error is that of before a change.

    The window is that of the windowed error: 1,000 examples, or a twentieth of the stream if that is less. A change is
    over after t examples if t is the least number, at least a window, whose last window of errors is at most `MARGIN`
    higher than the window before the change. One that does not come to an end before the next change, or the end of the
    stream, counts with all examples until then.

    Parameters
    ----------
    changes : sequence of int
        After how many predictions.
    n : int
        Predictions to come.

    References
    ----------
    After Shaker & Hüllermeier (2015), Recovery analysis for adaptive learning from non-stationary data streams, who measure
    how long and how deep performance falls; window and margin are ours.
    """

    def __init__(self, changes: Sequence[int], n: int) -> None:
        self._window = max(1, min(WINDOW, n // 20))
        places = [change for change in changes if self._window <= change < n]
        ends = [*places[1:], n][: len(places)]
        long_enough = [(at, end) for at, end in zip(places, ends, strict=True) if end - at >= self._window]
        self._places = np.array([at for at, _ in long_enough], dtype=np.int64)
        self._ends = np.array([end for _, end in long_enough], dtype=np.int64)
        self._before, self._took = np.full(len(long_enough), np.nan), np.zeros(len(long_enough), dtype=np.int64)
        self._seen, self._last = 0, np.empty(0, dtype=bool)

    def add(self, wrong: npt.NDArray[np.bool_]) -> None:
        """Take note of the next predictions."""
        start, stop, w = self._seen, self._seen + len(wrong), self._window
        known = np.concatenate([self._last, wrong])
        sums = np.concatenate([[0], np.cumsum(known)])
        base = start - len(self._last)
        for k in np.flatnonzero((self._places <= stop) & (self._ends > start) & (self._took == 0)):
            at, end = self._places[k], self._ends[k]
            if start < at <= stop:
                self._before[k] = (sums[at - base] - sums[at - base - w]) / w
            lasts = np.arange(max(start + 1, at + w), min(stop, end) + 1) - base
            errors = (sums[lasts] - sums[lasts - w]) / w
            rises = np.round(errors - self._before[k], DECIMALS)  # 0.12 + 0.02 is less than 0.14
            back = np.flatnonzero(rises <= MARGIN)
            if len(back):
                self._took[k] = lasts[back[0]] + base - at
        self._seen, self._last = stop, known[-w:]

    @property
    def mean(self) -> float:
        """The mean over the changes, in examples; NaN where there is none with a window before and behind it."""
        took = np.where(self._took > 0, self._took, np.minimum(self._ends, self._seen) - self._places)
        return float(np.mean(took)) if len(took) else float("nan")
