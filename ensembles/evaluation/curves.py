"""Series of numbers that one trial leaves behind: the learning curve and the errors of the members."""

from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.evaluation.timing import Stopwatch
from ensembles.experiments.records import Curve

__all__ = ["CURVES", "curve_sizes", "fit_with_snapshots", "learns_in_pieces", "member_errors"]

#: Every curve, by key, with the name people read.
CURVES: dict[str, str] = {"learning_curve": "Learning curve", "member_errors": "Errors of the members"}

_STEPS = 10
_SMALLEST = 10

Score = Callable[[Any], float]


def curve_sizes(n_train: int) -> tuple[int, ...]:
    """Return the training sizes of a learning curve, ascending; the last one is `n_train`.

    Ten equal steps, as in figure 4.5 of Oza's thesis, and below the first step its halves, quarters, ... down to 10
    examples: that is where a curve bends.
    """
    steps = {round(n_train * j / _STEPS) for j in range(1, _STEPS + 1)} - {0}
    below = min(steps) // 2
    while below >= _SMALLEST:
        steps.add(below)
        below //= 2
    return tuple(sorted(steps))


def learns_in_pieces(learner: Any) -> bool:
    """Whether the learner can be trained in pieces and is the same in the end as one trained in one call."""
    return hasattr(learner, "partial_fit") and getattr(learner, "pieces_equal_whole", True)


def fit_with_snapshots(
    make: Callable[[], Any],
    X: Table,
    y: npt.NDArray[np.int64],
    score: Score,
    stopwatch: Stopwatch,
    pause: Callable[[], None],
) -> tuple[Any, Curve]:
    """Train a learner on all examples and take its score along the way.

    An online learner is trained in one pass and asked at every size; a batch learner is trained afresh on every prefix,
    and so is an online learner that says of itself `pieces_equal_whole = False` (priming looks at the first call as a
    whole). The learner that comes back is the one of the last point: it is not trained twice for the sake of the curve.

    Parameters
    ----------
    make : callable
        Returns an untrained learner; the same one each time.
    X : Table, shape (n_train, n_attributes)
    y : ndarray of int, shape (n_train,)
    score : callable
        From a trained learner to a number.
    stopwatch : Stopwatch
        Runs while the learner that comes back is trained, and not while others are, nor while it is scored.
    pause : callable
        Called before every step; what it raises ends the training.

    Returns
    -------
    learner, Curve
        The points at `curve_sizes` without the last: its score is that of the learner, yet to be taken. NaN where a
        batch learner cannot be trained on so few examples.
    """
    *sizes, _ = curve_sizes(len(y))
    learner = make()
    if learns_in_pieces(learner):
        scores = _learn_in_pieces(learner, X, y, sizes, score, stopwatch, pause)
    else:
        scores = []
        for size in sizes:
            pause()
            scores.append(_score_of_prefix(make(), X, y, size, score))
        pause()
        with stopwatch:
            learner.fit(X, y)
    return learner, Curve(tuple(map(float, sizes)), tuple(scores))


def member_errors(learner: Any) -> Curve | None:
    """Return the weighted training error of each member, numbered from 1; None where the method measures none."""
    errors = np.asarray(getattr(learner, "member_errors_", ()), dtype=np.float64)
    if np.isnan(errors).all():
        return None
    return Curve(tuple(map(float, range(1, len(errors) + 1))), tuple(errors.tolist()))


def _learn_in_pieces(
    learner: Any,
    X: Table,
    y: npt.NDArray[np.int64],
    sizes: list[int],
    score: Score,
    stopwatch: Stopwatch,
    pause: Callable[[], None],
) -> list[float]:
    classes = np.unique(y)  # those that `fit` would see, so that the curve does not change the model
    scores = []
    for start, stop in pairwise([0, *sizes, len(y)]):
        pause()
        with stopwatch:
            learner.partial_fit(X.take(slice(start, stop)), y[start:stop], classes=classes)
        if stop < len(y):
            scores.append(score(learner))
    return scores


def _score_of_prefix(learner: Any, X: Table, y: npt.NDArray[np.int64], size: int, score: Score) -> float:
    try:
        learner.fit(X.take(slice(0, size)), y[:size])
        return score(learner)
    except Exception:  # a prefix may be too small for a learner that is fine with the whole: one class, one example
        return float("nan")
