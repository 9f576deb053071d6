"""Series of numbers that one trial leaves behind: which there are, and the learning curve."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.evaluation.checks import check_whole
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.member_curves import diversity, hard_examples, margins, member_errors, trial_graph
from ensembles.evaluation.prequential import REPLACED
from ensembles.evaluation.stream_course import MODEL_SIZE
from ensembles.evaluation.timing import Stopwatch
from ensembles.evaluation.trained_model import TrainedModel

__all__ = ["CURVES", "CurveKind", "curve_sizes", "curves_after", "fit_with_snapshots", "learns_in_pieces"]


@dataclass(frozen=True)
class CurveKind:
    """A kind of curve that an experiment may ask for.

    Attributes
    ----------
    name : str
        What people read.
    summary : str
        One sentence that says what it shows.
    cost : str
        What it costs, in words that follow the summary.
    series : tuple of str
        Names of the curves that a trial may leave; `key` by default.
    compute : callable or None
        From a trained learner to its curves, by name; a learner that has none leaves none. None: made while training.
    """

    key: str
    name: str
    summary: str
    cost: str
    series: tuple[str, ...] = ()
    compute: Callable[[TrainedModel], dict[str, Curve]] | None = None


#: Every kind of curve, by key, in the order in which people are offered them.
CURVES: dict[str, CurveKind] = {
    kind.key: kind
    for kind in (
        CurveKind(
            "learning_curve",
            "Learning curve",
            "Accuracy on the test set after growing numbers of training examples.",
            "Costs a test a point, and batch learners a training a point.",
            ("learning_curve",),
        ),
        CurveKind(
            "member_errors",
            "Errors of the members",
            "Weighted error of each member in training; of bagged members, error on the training set.",
            "Costs nothing, or, where members are bagged, one prediction of that set.",
            ("member_errors",),
            member_errors,
        ),
        CurveKind(
            "trial_graph",
            "Trial graph",
            "Error on the training and on the test set when only the first members vote.",
            "Costs one prediction of both sets.",
            ("trial_graph_train", "trial_graph_test"),
            trial_graph,
        ),
        CurveKind(
            "margins",
            "Margins",
            "How clearly the votes decide for the true class, as shares of the training and of the test set.",
            "Costs one prediction of both sets.",
            ("margins_train", "margins_test"),
            margins,
        ),
        CurveKind(
            "diversity",
            "Diversity of the members",
            "Kappa and mean error of pairs of members on the test set.",
            "Costs one prediction of the test set by each member.",
            ("diversity",),
            diversity,
        ),
        CurveKind(
            "hard_examples",
            "Hard examples",
            "The training examples that boosting gives the highest weight, mean over its members.",
            "Costs memory for a number a member and example while training.",
            ("hard_examples",),
            hard_examples,
        ),
        CurveKind(
            "predictions",
            "Single predictions",
            "The class told of each test example beside the true one, for McNemar's test.",
            "Costs memory: four numbers a test example, of 8 bytes.",
            ("predictions", "predictions_true"),
        ),
        CurveKind(
            "prequential_error",
            "Prequential error",
            "Error on the examples of a stream, each predicted before it is learned: of all so far, lately, and fading.",
            "Costs nothing.",
            ("prequential_error", "prequential_error_window", "prequential_error_fading", REPLACED, MODEL_SIZE),
        ),
    )
}

_STEPS = 10
_SMALLEST = 10

Score = Callable[[Any], float]


def curves_after(keys: Sequence[str], trained: TrainedModel) -> dict[str, Curve]:
    """Return the curves of the kinds `keys` that a trained learner leaves, by name."""
    curves: dict[str, Curve] = {}
    for key in keys:
        compute = CURVES[key].compute
        if compute is not None:
            trained.pause()
            curves |= compute(trained)
    return curves


def curve_sizes(n_train: int) -> tuple[int, ...]:
    """Return the training sizes of a learning curve, ascending; the last one is `n_train`.

    Ten equal steps, as in figure 4.5 of Oza's thesis, and below the first step its halves, quarters, ... down to 10
    examples: that is where a curve bends.
    """
    check_whole("curve_sizes", "n_train", n_train, 1)
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
