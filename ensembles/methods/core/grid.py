"""Settings chosen on a small fixed grid by cross-validation within the training examples."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.model_selection import StratifiedKFold

from ensembles.data.table import Table
from ensembles.learners.core.learner import TrainingBatch

__all__ = ["FOLDS", "best_of", "candidates_of", "folds_of"]

Labels = npt.NDArray[np.int64]
Predict = Callable[[Table], Labels]

FOLDS = 3  #: of the cross-validation that tries settings


def candidates_of(grid: Mapping[str, Sequence[Any]], given: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return every combination of a grid, what was given first."""
    own = {name: given[name] for name in grid}
    combined = [dict(zip(grid, values, strict=True)) for values in product(*grid.values())]
    return [own, *(one for one in combined if one != own)]


def folds_of(labels: Labels, most: int, seed: int) -> list[tuple[Labels, Labels]]:
    """Return the rows to train on and to test on of each fold, none where no class has two examples.

    There are `most` folds; fewer, but at least two, if the rarest class has fewer examples.
    """
    counts = np.bincount(labels)
    counts = counts[counts > 0]
    if counts.max() < 2:
        return []
    n_folds = min(most, max(int(counts.min()), 2))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The least populated class", UserWarning)  # it is in one fold only
        return [*StratifiedKFold(n_folds, shuffle=True, random_state=seed).split(np.zeros(len(labels)), labels)]


def best_of(
    candidates: Sequence[dict[str, Any]],
    examples: TrainingBatch,
    folds: Sequence[tuple[Labels, Labels]],
    train: Callable[[TrainingBatch, dict[str, Any]], Predict],
) -> dict[str, Any]:
    """Return the candidate that is most often right in cross-validation, weights counted; the first of equal ones.

    `train` gives, of examples and one candidate, the function that tells the labels of a table.
    """
    right = np.zeros(len(candidates))
    for fit, test in folds:
        part = TrainingBatch(examples.table.take(fit), examples.labels[fit], examples.weights[fit])
        asked = examples.table.take(test)
        for c, candidate in enumerate(candidates):
            right[c] += examples.weights[test] @ (train(part, candidate)(asked) == examples.labels[test])
    return candidates[int(np.argmax(right))]
