"""Curves about the members of an ensemble, their votes, and the examples they find hard.

Bauer & Kohavi, figures 4 and 8 to 10 (trial graphs); Oza (2001), section 4.6.3 (errors of the members); Schapire, Freund,
Bartlett & Lee (1998) (margins); Margineantu & Dietterich (1997) (kappa and error); Freund & Schapire (1996) (hard examples).
"""

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.table import Table
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.trained_model import TrainedModel

__all__ = ["diversity", "graph_sizes", "hard_examples", "margins", "member_errors", "trial_graph"]

_GRAPH_POINTS = 300
_MARGIN_STEPS = 100
_MOST_PAIRS = 500
_MOST_HARD = 100

Floats = npt.NDArray[np.float64]


def member_errors(trained: TrainedModel) -> dict[str, Curve]:
    """Return the error of each member in training, weighted as it learned, numbered from 1; nothing without members.

    Where members are not tested while they are trained, the share of the training examples they get wrong afterwards.
    """
    if getattr(trained.learner, "measures_errors", True):
        errors = np.asarray(getattr(trained.learner, "member_errors_", ()), dtype=np.float64)
    else:
        errors = np.array([*_errors_after_training(trained)])
    if np.isnan(errors).all():
        return {}
    return {"member_errors": _curve(np.arange(1, len(errors) + 1), errors)}


def _errors_after_training(trained: TrainedModel) -> Iterator[float]:
    for error in trained.learner.errors_on(trained.X_train, trained.y_train):
        trained.pause()
        yield error


def graph_sizes(n_members: int) -> npt.NDArray[np.int64]:
    """Return the numbers of members of a trial graph: all up to 300, else 300 of them, denser where they are few."""
    if n_members <= _GRAPH_POINTS:
        return np.arange(1, n_members + 1)
    return np.unique(np.geomspace(1, n_members, _GRAPH_POINTS).round().astype(np.int64))


def trial_graph(trained: TrainedModel) -> dict[str, Curve]:
    """Return the error on the training and on the test set when the first 1, 2, ... members vote.

    An ensemble that stopped early is extended by its last value up to the members it was allowed. Nothing for learners
    whose first few members are no ensemble.
    """
    learner = trained.learner
    if not hasattr(learner, "staged_predict"):
        return {}
    sets = {"train": (trained.X_train, trained.y_train), "test": (trained.X_test, trained.y_test)}
    curves = {}
    for name, (X, y) in sets.items():
        errors = _staged_errors(trained, X, y)
        sizes = graph_sizes(max(int(learner.n_estimators), len(errors)))
        curves[f"trial_graph_{name}"] = _curve(sizes, errors[np.minimum(sizes, len(errors)) - 1])
    return curves


def _staged_errors(trained: TrainedModel, X: Table, y: npt.NDArray[np.int64]) -> Floats:
    errors = []
    for predicted in trained.learner.staged_predict(X):
        trained.pause()
        errors.append(float(np.mean(predicted != y)))
    return np.array(errors)


def margins(trained: TrainedModel) -> dict[str, Curve]:
    """Return the share of training and of test examples whose margin is at most -1, -0.98, ..., 1.

    The margin of an example is the probability of its class (the share of the votes, where members vote) minus the
    largest probability of another class. Nothing for learners that give no probabilities.
    """
    if not hasattr(trained.learner, "predict_proba"):
        return {}
    sets = {"train": (trained.X_train, trained.y_train), "test": (trained.X_test, trained.y_test)}
    grid = np.arange(-_MARGIN_STEPS // 2, _MARGIN_STEPS // 2 + 1) * (2 / _MARGIN_STEPS)
    curves = {}
    for name, (X, y) in sets.items():
        found = np.sort(_margins_of(trained.learner, X, y))
        # A margin that misses a point of the grid by its last bits is on it.
        shares = np.searchsorted(found, grid + 1e-9, side="right") / len(found)
        curves[f"margins_{name}"] = _curve(grid, shares)
    return curves


def _margins_of(learner: Any, X: Table, y: npt.NDArray[np.int64]) -> Floats:
    shares = np.asarray(learner.predict_proba(X), dtype=np.float64)
    own = np.asarray(learner.classes_, dtype=np.int64) == y[:, None]
    # A class that was not seen in training has probability 0, and there may be no other class.
    of_class = np.where(own, shares, 0.0).sum(axis=1)
    margins: Floats = of_class - np.where(own, 0.0, shares).max(axis=1)
    return margins


def diversity(trained: TrainedModel) -> dict[str, Curve]:
    """Return kappa (x) and mean error (y) of pairs of members on the test set, at most 500 pairs, drawn by the seed."""
    pairs = trained.member_pairs
    if pairs is None:
        return {}
    known = np.flatnonzero(~np.isnan(pairs.kappa))
    if len(known) == 0:
        return {}
    if len(known) > _MOST_PAIRS:
        known = np.random.default_rng(trained.seed).choice(known, _MOST_PAIRS, replace=False)
    known = known[np.lexsort((pairs.error[known], pairs.kappa[known]))]
    return {"diversity": _curve(pairs.kappa[known], pairs.error[known])}


def hard_examples(trained: TrainedModel) -> dict[str, Curve]:
    """Return the up to 100 training examples of the highest weight, mean over its members.

    `x` is the row in the data set, from 0, `y` the weight, 1 for an example as heavy as the average. Nothing for learners
    that keep no weights (those with `keep_weights`, set before training, keep them in `example_weights_`). The weights are
    taken away from the learner. One that learned in pieces knows those of its last piece.
    """
    weights = getattr(trained.learner, "example_weights_", None)
    if weights is None or weights.size == 0:
        return {}
    del trained.learner.example_weights_
    mean = weights.mean(axis=0) / weights.mean()
    rows = trained.rows[-len(mean) :]
    hardest = np.lexsort((rows, -mean))[:_MOST_HARD]
    hardest = hardest[np.argsort(rows[hardest])]
    return {"hard_examples": _curve(rows[hardest], mean[hardest])}


def _curve(x: npt.NDArray[Any], y: npt.NDArray[Any]) -> Curve:
    return Curve(tuple(map(float, x)), tuple(map(float, y)))
