"""PCR*: regression on the principal components of what models tell, how many of them chosen by cross-validation.

Merz & Pazzani (1999).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ensembles.methods.combining.out_of_fold import Floats, Fold, Labels, ToldExamples

__all__ = ["Pcr", "component_weights"]

_FLAT = 1e-10  # of all variance: what a component has less of is rounding


@dataclass(frozen=True)
class Pcr:
    """Weights of models for each class, and how many components they were made of.

    Attributes
    ----------
    weights : array of shape (n_classes, n_models)
    n_components : array of int, shape (n_classes,)
    means : array of shape (n_classes, n_models)
        Of what models told of each class.
    shares : array of shape (n_classes,)
        Of the classes among the examples.
    """

    weights: Floats
    n_components: Labels
    means: Floats
    shares: Floats

    @classmethod
    def learned(cls, examples: ToldExamples, folds: Sequence[Fold], n_components: int) -> Pcr:
        """Learn from what models told of examples; 0 components: as many as `folds` are told best by."""
        of_classes = [_Regression.of(examples, c) for c in range(examples.told.shape[2])]
        numbers = [n_components or _best_number(examples, folds, c, one.most) for c, one in enumerate(of_classes)]
        numbers = [min(number, one.most) for number, one in zip(numbers, of_classes, strict=True)]
        weights = [one.weights[number] for number, one in zip(numbers, of_classes, strict=True)]
        return cls(
            np.array(weights),
            np.array(numbers),
            np.array([one.means for one in of_classes]),
            np.array([one.share for one in of_classes]),
        )

    def predict_proba(self, told: Floats) -> Floats:
        """Return the regressions' values, those below 0 as 0, in shares; the shares of classes where none is above."""
        centred = told.transpose(0, 2, 1) - self.means
        values = np.maximum(self.shares + (centred * self.weights).sum(axis=2), 0.0)
        values[values.sum(axis=1) <= 0.0] = self.shares
        shares: Floats = values / values.sum(axis=1, keepdims=True)
        return shares


@dataclass(frozen=True)
class _Regression:
    """The regression of one class: weights of models by number of components, means of what they told, the class's share."""

    weights: Floats
    means: Floats
    share: float

    @property
    def most(self) -> int:
        return len(self.weights) - 1

    @classmethod
    def of(cls, examples: ToldExamples, c: int) -> _Regression:
        columns, is_class = examples.told[:, :, c], (examples.labels == c).astype(np.float64)
        counted = examples.weights / examples.weights.sum()
        means, share = counted @ columns, float(counted @ is_class)
        return cls(component_weights(columns - means, is_class - share, counted), means, share)

    def errors(self, examples: ToldExamples, c: int) -> Floats:
        """Return the weighted squared error with 0, 1, ... components, shape (most + 1,)."""
        values = self.share + (examples.told[:, :, c] - self.means) @ self.weights.T
        errors: Floats = examples.weights @ (values - (examples.labels == c)[:, None]) ** 2
        return errors


def component_weights(columns: Floats, target: Floats, counted: Floats) -> Floats:
    """Return the weights of models in the regression of the target on 0, 1, ... principal components.

    Parameters
    ----------
    columns : array of shape (n_examples, n_models)
        Less their means, as is the target.
    target, counted : array of shape (n_examples,)
        What is regressed, and the weight of each example.

    Returns
    -------
    array of shape (number of components with variance + 1, n_models)
        Components are of the covariance of columns, those of most variance first.
    """
    variances, directions = np.linalg.eigh((columns * counted[:, None]).T @ columns)
    kept = np.flatnonzero(variances > _FLAT * max(variances.sum(), np.finfo(float).tiny))[::-1]
    slopes = directions[:, kept].T @ (columns.T @ (counted * target)) / variances[kept]
    weights = np.zeros((len(kept) + 1, columns.shape[1]))
    np.cumsum(slopes[:, None] * directions[:, kept].T, axis=0, out=weights[1:])
    return weights


def _best_number(examples: ToldExamples, folds: Sequence[Fold], c: int, most: int) -> int:
    """Return with how many components, one at least, folds that were not learned are told best; the fewest of equal ones."""
    if most <= 1 or not folds:
        return min(1, most)
    errors = np.zeros(most + 1)
    for fit, test in folds:
        of_fold = _Regression.of(examples.take(fit), c).errors(examples.take(test), c)
        errors += of_fold[np.minimum(np.arange(most + 1), len(of_fold) - 1)]
    return 1 + int(np.argmin(np.round(errors[1:] / examples.weights.sum(), 12)))
