"""What models tell of examples that they did not learn, and how a combiner of that stands before them as one model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

__all__ = ["CombinedModels", "Combiner", "Fold", "ToldExamples", "tell", "tell_out_of_fold"]

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]
Fold = tuple[Labels, Labels]


class ToldExamples(NamedTuple):
    """What models tell of examples, shape (n_examples, n_models, n_classes), with their classes and weights."""

    told: Floats
    labels: Labels
    weights: Floats

    def take(self, rows: Labels) -> ToldExamples:
        """Return some of them."""
        return ToldExamples(self.told[rows], self.labels[rows], self.weights[rows])


class Combiner(Protocol):
    """What learned to combine."""

    def predict_proba(self, told: Floats) -> Floats:
        """Return the probability of each class of what models tell, shape (n_examples, n_classes)."""


class CombinedModels:
    """Trained models and what combines them; classes are numbered.

    Attributes
    ----------
    estimators_ : list of classifiers
    combiner_ : Combiner
    """

    def __init__(self, models: Sequence[Any], combiner: Combiner, n_classes: int, *, hard: bool) -> None:
        self.estimators_ = [*models]
        self.combiner_ = combiner
        self.classes_ = np.arange(n_classes)
        self.hard = hard

    def predict_proba(self, X: Any) -> Floats:
        """Return the probability of each class, shape (n_examples, n_classes)."""
        return self.combiner_.predict_proba(tell(self.estimators_, X, len(self.classes_), hard=self.hard))

    def predict(self, X: Any) -> Labels:
        """Return the most probable class of each example, the first of equal ones."""
        predicted: Labels = self.predict_proba(X).argmax(axis=1)
        return predicted


def tell(models: Sequence[Any], X: Any, n_classes: int, *, hard: bool) -> Floats:
    """Return what models tell, shape (n_examples, n_models, n_classes).

    Probabilities, or `hard`: 1 for the class that they predict, 0 for all others. What a model has not learned has 0.
    """
    told = np.zeros((len(X), len(models), n_classes))
    for m, model in enumerate(models):
        if hard:
            told[np.arange(len(X)), m, np.asarray(model.predict(X), dtype=np.int64)] = 1.0
        else:
            told[:, m, np.asarray(model.classes_, dtype=np.int64)] = model.predict_proba(X)
    return told


def tell_out_of_fold(
    models: Sequence[Any], X: Any, labels: Labels, weights: Floats | None, folds: Sequence[Fold], *, hard: bool
) -> Floats:
    """Return as `tell` what clones of models, each trained on the other folds, tell of the examples of a fold."""
    n_classes = int(labels.max()) + 1
    told = np.zeros((len(labels), len(models), n_classes))
    for fit, test in folds:
        some = None if weights is None else weights[fit]
        trained = [clone(model).fit(X.iloc[fit], labels[fit], sample_weight=some) for model in models]
        told[test] = tell(trained, X.iloc[test], n_classes, hard=hard)
    return told
