"""Ask members about many examples at a time: one class, one distribution, or the votes of all."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.jit import kernel
from ensembles.learners.core.bound import bind
from ensembles.learners.core.protocol import predict_proba_rows, predict_rows
from ensembles.learners.core.sharing import asked_apart

__all__ = ["classes_by", "probabilities_by", "votes_by"]

_BLOCK = 2048  # examples of which a member is asked in one go: their classes stay in the cache


def classes_by(members: Any, m: int, rows: Any, n_classes: int) -> npt.NDArray[np.int64]:
    """Return the class that member m predicts for each example, -1 if it has learned nothing."""
    classes, members = np.empty(len(rows.codes), dtype=np.int64), asked_apart(members)
    _predict_classes(bind(members, rows), m, rows, np.empty((4, n_classes)), classes)
    return classes


def probabilities_by(members: Any, m: int, rows: Any, n_classes: int) -> npt.NDArray[np.float64]:
    """Return the class probabilities of member m, shape (n_examples, n_classes)."""
    probabilities, members = np.empty((len(rows.codes), n_classes)), asked_apart(members)
    _predict_probabilities(bind(members, rows), m, rows, np.empty((4, n_classes)), probabilities)
    return probabilities


def votes_by(
    members: Any, weights: npt.NDArray[np.float64], rows: Any, n_classes: int, *, soft: bool
) -> npt.NDArray[np.float64]:
    """Return the votes of the first len(weights) members, shape (n_examples, n_classes); `soft`: of their probabilities."""
    n, work = len(rows.codes), np.empty((4, n_classes))
    votes, members = np.zeros((n, n_classes)), asked_apart(members)
    if soft:
        _add_probabilities(bind(members, rows), weights, rows, work, np.empty((min(n, _BLOCK), n_classes)), votes)
    else:
        _count_votes(bind(members, rows), weights, rows, work, np.empty(min(n, _BLOCK), dtype=np.int64), votes)
    return votes


@kernel
def _predict_classes(members, m, rows, work, classes):
    predict_rows(members, m, rows, 0, work, classes)


@kernel
def _predict_probabilities(members, m, rows, work, probabilities):
    predict_proba_rows(members, m, rows, 0, work, probabilities)


@kernel
def _count_votes(members, weights, rows, work, predicted, votes):
    """Add the weight of each member to the class it predicts; predicted: room for a block of examples."""
    for start in range(0, votes.shape[0], max(1, predicted.shape[0])):
        size = min(predicted.shape[0], votes.shape[0] - start)
        for m in range(weights.shape[0]):
            predict_rows(members, m, rows, start, work, predicted[:size])
            for i in range(size):
                if predicted[i] >= 0:  # a member that has learned nothing does not vote
                    votes[start + i, predicted[i]] += weights[m]


@kernel
def _add_probabilities(members, weights, rows, work, probabilities, votes):
    """Add the class probabilities of each member, times its weight; probabilities: room for a block of examples."""
    for start in range(0, votes.shape[0], max(1, probabilities.shape[0])):
        size = min(probabilities.shape[0], votes.shape[0] - start)
        for m in range(weights.shape[0]):
            predict_proba_rows(members, m, rows, start, work, probabilities[:size])
            for i in range(size):
                for c in range(votes.shape[1]):
                    votes[start + i, c] += weights[m] * probabilities[i, c]
