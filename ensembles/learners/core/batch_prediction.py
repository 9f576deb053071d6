"""Ask members about many examples at a time: one class, one distribution, or the votes of all."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.jit import kernel
from ensembles.learners.core.protocol import predict_one, predict_proba_one

__all__ = ["add_probabilities", "classes_by", "count_votes", "probabilities_by"]


def classes_by(members: Any, m: int, rows: Any, n_classes: int) -> npt.NDArray[np.int64]:
    """Return the class that member m predicts for each example, -1 if it has learned nothing."""
    classes = np.empty(len(rows.codes), dtype=np.int64)
    _predict_rows(members, m, rows, np.empty((4, n_classes)), classes)
    return classes


def probabilities_by(members: Any, m: int, rows: Any, n_classes: int) -> npt.NDArray[np.float64]:
    """Return the class probabilities of member m, shape (n_examples, n_classes)."""
    probabilities = np.empty((len(rows.codes), n_classes))
    _predict_proba_rows(members, m, rows, np.empty((4, n_classes)), probabilities)
    return probabilities


@kernel
def _predict_rows(members, m, rows, work, classes):
    for i in range(classes.shape[0]):
        classes[i] = predict_one(members, m, rows, i, work)


@kernel
def _predict_proba_rows(members, m, rows, work, probabilities):
    for i in range(probabilities.shape[0]):
        predict_proba_one(members, m, rows, i, work, probabilities[i])


@kernel
def count_votes(members, weights, rows, start, stop, work, votes):
    """Add the weight of each member to the class it predicts, for the examples from `start` to before `stop`."""
    for m in range(weights.shape[0]):
        for i in range(start, stop):
            c = predict_one(members, m, rows, i, work)
            if c >= 0:  # a member that has learned nothing does not vote
                votes[i, c] += weights[m]


@kernel
def add_probabilities(members, weights, rows, work, votes):
    """Add the class probabilities of each member, times its weight; work: five rows of classes."""
    for m in range(weights.shape[0]):
        for i in range(votes.shape[0]):
            predict_proba_one(members, m, rows, i, work, work[4])
            for c in range(votes.shape[1]):
                votes[i, c] += weights[m] * work[4, c]
