"""Test, then train: each example of a stream is predicted before it is learned."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.error_curves import ErrorCurves
from ensembles.evaluation.stream_pass import StreamPass
from ensembles.evaluation.timing import Stopwatch

__all__ = [
    "REPLACED",
    "KeptPredictions",
    "Stream",
    "begin_final",
    "error_curves",
    "predict_then_learn",
    "replaced_curve",
]

REPLACED = "members_replaced"
"""Name of the curve of the members that began anew, left by learners that count them and replaced any."""

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Stream:
    """What a learner said of a stream.

    Attributes
    ----------
    first : int
        Examples at its head that were learned and not predicted.
    true, predicted : ndarray of int, shape (n_examples - first,)
    probabilities : ndarray of float, shape (n_examples - first, n_classes), or None
    replaced : tuple of (int, int)
        After how many examples of the stream it was seen that members began anew, and how many since it was last looked.
    """

    first: int
    true: Labels
    predicted: Labels
    probabilities: npt.NDArray[np.float64] | None
    replaced: tuple[tuple[int, int], ...] = ()


def predict_then_learn(
    learner: Any,
    X: Table,
    y: Labels,
    n_classes: int,
    *,
    probabilities: bool = False,
    unpredicted: int = 0,
    stopwatch: Stopwatch,
    pause: Callable[[], None],
) -> Stream:
    """Predict every example of a stream, then learn it (Oza's thesis, figure 3.11).

    All classes are declared at the start. What has learned nothing predicts class 0, all classes alike. A primed learner
    predicts from the first example after the primed ones.

    Parameters
    ----------
    learner : online learner, untrained
        Trained when it comes back; the same, bit for bit, as by one call of `partial_fit` an example.
    X : Table, shape (n_examples, n_attributes)
    y : ndarray of int, shape (n_examples,)
        In [0, n_classes).
    unpredicted : int
        Examples at the head that are learned, but not predicted.
    stopwatch : Stopwatch
        Runs while the learner predicts and learns: most do both in one pass, so that neither has a time of its own.
    pause : callable
        Called now and then; what it raises ends the run.

    Raises
    ------
    InvalidData
        All examples are primed, or a prediction is no class.
    """
    way = StreamPass(
        learner, n_classes, probabilities=probabilities, unpredicted=unpredicted, stopwatch=stopwatch, pause=pause
    )
    way.learn_head(X, y)
    kept = KeptPredictions(y[way.told_from :], n_classes, probabilities=probabilities)
    while way.position < len(y):
        part = slice(way.position, way.position + way.next_size)
        kept.add(part.start - way.told_from, *way.take(X.take(part), y[part]))
    return kept.stream(way)


class KeptPredictions:
    """All that was said of a stream: memory grows with it.

    Parameters
    ----------
    true : ndarray of int, shape (n,)
        Classes of the examples that are predicted.
    """

    def __init__(self, true: Labels, n_classes: int, *, probabilities: bool) -> None:
        self.true, self.predicted = true, np.zeros(len(true), dtype=np.int64)
        self.probabilities = np.empty((len(true), n_classes)) if probabilities else None

    def add(self, at: int, predicted: Labels, probabilities: npt.NDArray[np.float64] | None) -> None:
        """Keep what was said of the next examples, of which the first is the one `at`; those before 0 are left out."""
        late, to = max(-at, 0), slice(max(at, 0), max(at + len(predicted), 0))
        self.predicted[to] = predicted[late:]
        if self.probabilities is not None and probabilities is not None:
            self.probabilities[to] = probabilities[late:]

    def stream(self, way: StreamPass) -> Stream:
        """Return all that was said, once the learner has come to the end."""
        replaced = tuple((at, n) for at, n in way.replaced if at > way.told_from)
        return Stream(way.told_from, self.true, self.predicted, self.probabilities, replaced)


def begin_final(n: int, fraction: float) -> int:
    """Return where the last `fraction` of n examples begins (Jung et al.: the last fifth); at least one is in it."""
    return min(int((1.0 - fraction) * n + 1e-9), n - 1)


def error_curves(stream: Stream) -> dict[str, Curve]:
    """Return the error after each example, at up to 500 points: of all so far, of a sliding window, and fading.

    Returns
    -------
    dict of str to Curve
        Those of `ErrorCurves`, and `members_replaced` where members began anew: how many, where it was seen.
    """
    errors = ErrorCurves(stream.first, len(stream.true))
    errors.add(stream.true != stream.predicted)
    return errors.curves() | replaced_curve(stream.replaced)


def replaced_curve(replaced: Sequence[tuple[int, int]]) -> dict[str, Curve]:
    """Return `members_replaced`, if any members began anew."""
    if not replaced:
        return {}
    places, numbers = zip(*replaced, strict=True)
    return {REPLACED: Curve(tuple(map(float, places)), tuple(map(float, numbers)))}
