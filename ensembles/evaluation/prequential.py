"""Test, then train: each example of a stream is predicted before it is learned."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.errors import InvalidData
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.timing import Stopwatch

__all__ = ["REPLACED", "Stream", "begin_final", "error_curves", "predict_then_learn"]

REPLACED = "members_replaced"
"""Name of the curve of the members that began anew, left by learners that count them and replaced any."""

WINDOW = 1000  #: examples of the sliding window, or a twentieth of the stream if that is less
FADING = 0.999  #: what an error counts less with every further example
_POINTS = 500
_BLOCK = 256  # examples predicted and learned at a time
_PAUSE = 64  # examples between two looks at whether to stop, where they come one at a time

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
    classes = np.arange(n_classes)
    learner.on_progress = lambda _: pause()
    with stopwatch:
        first = _learn_head(learner, X, y, classes)
    learner.on_progress = None  # called for every few examples, it would tell nothing
    predicted = np.zeros(len(y), dtype=np.int64)
    shares = np.full((len(y), n_classes), 1.0 / n_classes) if probabilities else None
    told_from = max(first, unpredicted)
    size = _BLOCK if hasattr(learner, "predict_then_learn") else 1
    replacements = _Replacements(learner)
    for start in range(max(first, 1), len(y), size):
        if size > 1 or start % _PAUSE == 0:
            pause()
        part = slice(start, start + size)
        rows, labels = X.take(part), y[part]
        with stopwatch:
            if size > 1:
                predicted[part], told = learner.predict_then_learn(rows, labels)
            else:
                predicted[part] = learner.predict(rows)
                told = learner.predict_proba(rows) if probabilities else None
                _learn_one(learner, rows, labels)
        if shares is not None:
            shares[part] = told
        replacements.look(start + len(labels))
    if not np.isin(predicted, classes).all():
        raise InvalidData("the predictions are not one known class for each example")
    kept = None if shares is None else shares[told_from:]
    return Stream(told_from, y[told_from:], predicted[told_from:], kept, replacements.after(told_from))


def _learn_head(learner: Any, X: Table, y: Labels, classes: Labels) -> int:
    """Learn what comes before any prediction, the primed examples or the first one; return how many were primed."""
    primed: int = learner.start_stream(X, y, classes) if hasattr(learner, "start_stream") else 0
    if primed >= len(y):
        raise InvalidData(f"all {len(y)} examples are primed, none is left to be predicted")
    if not primed:
        learner.partial_fit(X.take(slice(0, 1)), y[:1], classes=classes)
    return primed


def _learn_one(learner: Any, row: Table, label: Labels) -> None:
    """Learn one example, without checks if the learner can."""
    if hasattr(learner, "learn_batch"):
        learner.learn_batch(row, label)
    else:
        learner.partial_fit(row, label)


class _Replacements:
    """Where along a stream a learner that counts them let members begin anew."""

    def __init__(self, learner: Any) -> None:
        self._learner, self._found = learner, list[tuple[int, int]]()
        self._known = self._count()

    def look(self, at: int) -> None:
        """Note how many there are since the last look, if any, as those of `at` examples."""
        if (now := self._count()) > self._known:
            self._found.append((at, now - self._known))
            self._known = now

    def after(self, first: int) -> tuple[tuple[int, int], ...]:
        """Return where there were any, after so many examples, and how many."""
        return tuple((at, n) for at, n in self._found if at > first)

    def _count(self) -> int:
        return int(getattr(self._learner, "n_replaced_", 0))


def begin_final(n: int, fraction: float) -> int:
    """Return where the last `fraction` of n examples begins (Jung et al.: the last fifth); at least one is in it."""
    return min(int((1.0 - fraction) * n + 1e-9), n - 1)


def error_curves(stream: Stream) -> dict[str, Curve]:
    """Return the error after each example, at up to 500 points: of all so far, of a sliding window, and fading.

    Returns
    -------
    dict of str to Curve
        `prequential_error`, `prequential_error_window`, `prequential_error_fading`. The fading error weighs an example
        `FADING` times less for each one after it (Gama, Sebastiao & Rodrigues 2013). Besides, where members began anew,
        `members_replaced`: how many, where it was seen.
    """
    wrong = (stream.true != stream.predicted).astype(np.float64)
    n = len(wrong)
    points = np.unique(np.linspace(1, n, min(n, _POINTS)).round().astype(np.int64))
    sums = np.concatenate([[0.0], np.cumsum(wrong)])
    window = max(1, min(WINDOW, n // 20))
    begin = np.maximum(points - window, 0)
    x = tuple((points + stream.first).astype(float).tolist())
    series = {
        "prequential_error": sums[points] / points,
        "prequential_error_window": (sums[points] - sums[begin]) / (points - begin),
        "prequential_error_fading": _fading(wrong)[points - 1],
    }
    curves = {key: Curve(x, tuple(values.tolist())) for key, values in series.items()}
    if stream.replaced:
        places, numbers = zip(*stream.replaced, strict=True)
        curves[REPLACED] = Curve(tuple(map(float, places)), tuple(map(float, numbers)))
    return curves


def _fading(wrong: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return sum(FADING^age * wrong) / sum(FADING^age) after each example."""
    from scipy.signal import lfilter  # takes a third of what all else takes that a process starts with

    weighed = lfilter([1.0], [1.0, -FADING], wrong)
    counted = lfilter([1.0], [1.0, -FADING], np.ones(len(wrong)))
    faded: npt.NDArray[np.float64] = weighed / counted
    return faded
