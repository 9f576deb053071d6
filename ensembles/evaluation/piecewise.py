"""Measures of a stream that is too long to be kept: taken of its predictions piece by piece.

Counts, and what is computed from them, are those that all predictions at once would give, to the last bit. Sums of
probabilities may differ from them in the last digits, as they are added up in another order.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

import numpy as np
import numpy.typing as npt

from ensembles.evaluation.predictions import Predictions, confusion_matrix, of_counts

__all__ = ["BINS", "AtEnd", "Bins", "Mean", "Pairs", "Piecewise", "Repeats", "gaps_of"]

BINS = 15

Score = Callable[[Predictions], float]


class Piecewise(Protocol):
    """A measure on its way."""

    def add(self, piece: Predictions) -> None:
        """Take note of the next predictions."""
        ...

    def value(self, end: Predictions) -> float:
        """Return the measure of all of them; `end`: no predictions, and the learner as it is now."""
        ...


class Mean:
    """The mean over the examples of something that each has."""

    def __init__(self, score: Score) -> None:
        self._score, self._sum, self._n = score, 0.0, 0

    def add(self, piece: Predictions) -> None:
        """See `Piecewise`."""
        n = len(piece.true)
        self._sum, self._n = self._sum + self._score(piece) * n, self._n + n

    def value(self, end: Predictions) -> float:  # noqa: ARG002
        """See `Piecewise`."""
        return self._sum / self._n


class Pairs:
    """What follows from how often each class was predicted for each."""

    def __init__(self, score: Score) -> None:
        self._score, self._counts = score, np.zeros((0, 0), dtype=np.int64)

    def add(self, piece: Predictions) -> None:
        """See `Piecewise`."""
        counts = confusion_matrix(piece)
        self._counts = counts + self._counts if self._counts.size else counts

    def value(self, end: Predictions) -> float:  # noqa: ARG002
        """See `Piecewise`."""
        return self._score(of_counts(self._counts))


class Repeats:
    """Kappa-temporal, of how often a class is that of the example before."""

    def __init__(self, score: Score) -> None:  # noqa: ARG002
        self._right, self._repeated, self._n, self._last = 0, 0, 0, -1

    def add(self, piece: Predictions) -> None:
        """See `Piecewise`."""
        before = np.concatenate([[self._last], piece.true[:-1]])
        self._right += int(np.count_nonzero(piece.true == piece.predicted))
        self._repeated += int(np.count_nonzero(piece.true == before))
        self._n, self._last = self._n + len(piece.true), int(piece.true[-1])

    def value(self, end: Predictions) -> float:  # noqa: ARG002
        """See `Piecewise`."""
        repeated = self._repeated / self._n
        return (self._right / self._n - repeated) / (1.0 - repeated)


class Bins:
    """The calibration error, of how sure predictions are and how often they are right in each bin of sureness."""

    def __init__(self, score: Score) -> None:  # noqa: ARG002
        self._gaps, self._n = np.zeros(BINS), 0

    def add(self, piece: Predictions) -> None:
        """See `Piecewise`."""
        self._gaps, self._n = self._gaps + gaps_of(piece), self._n + len(piece.true)

    def value(self, end: Predictions) -> float:  # noqa: ARG002
        """See `Piecewise`."""
        return float(np.abs(self._gaps).sum() / self._n)


class AtEnd:
    """What is asked of the learner alone, once it has learned all."""

    def __init__(self, score: Score) -> None:
        self._score = score

    def add(self, piece: Predictions) -> None:
        """See `Piecewise`."""

    def value(self, end: Predictions) -> float:
        """See `Piecewise`."""
        return self._score(end)


def gaps_of(predictions: Predictions) -> npt.NDArray[np.float64]:
    """Return how many more predictions of each bin of sureness are right than they are sure, shape (BINS,)."""
    assert predictions.probabilities is not None
    sure = predictions.probabilities.max(axis=1)
    right = (predictions.true == predictions.predicted).astype(float)
    places = np.clip(np.ceil(sure * BINS - 1e-9).astype(int) - 1, 0, BINS - 1)
    return np.bincount(places, weights=right - sure, minlength=BINS).astype(np.float64, copy=False)
