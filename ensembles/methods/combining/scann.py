"""SCANN: stacked predictions, correspondence analysis, and the nearest class.

Merz (1999).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ensembles.methods.combining.out_of_fold import Floats, Fold, Labels, ToldExamples

__all__ = ["Scann", "analyse"]

_FLAT = 1e-7  # of the largest singular value: what is smaller is rounding
_DIGITS = 9  # of squared distances: those that differ by less are equal


@dataclass(frozen=True)
class Scann:
    """The space of a correspondence analysis of predictions, with as many dimensions as were kept.

    Attributes
    ----------
    points : array of shape (n_models, n_classes, n_dimensions)
        Standard coordinates of each class of each model, 0 where the model never predicted it.
    classes : array of shape (n_classes, n_dimensions)
        Principal coordinates of the true classes.
    shares : array of shape (n_classes,)
        Of the classes among the examples.
    n_models : int
        How many models told something.
    """

    points: Floats
    classes: Floats
    shares: Floats
    n_models: int

    @classmethod
    def learned(cls, examples: ToldExamples, folds: Sequence[Fold], n_components: int) -> Scann:
        """Learn from what models predicted of examples; 0 components: as many as `folds` are told best by."""
        whole = analyse(examples)
        most = whole.classes.shape[1]
        number = n_components or _best_number(examples, folds, most)
        return replace(whole, points=whole.points[:, :, :number], classes=whole.classes[:, :number])

    @property
    def n_components(self) -> Labels:
        """How many dimensions were kept, in an array of one."""
        return np.array([self.classes.shape[1]])

    def predict_proba(self, told: Floats) -> Floats:
        """Return shares by the distances of examples to classes, exp(-distance²/2)."""
        distances = np.zeros((len(told), len(self.classes)))
        for nearer in self._distances(told):
            distances = nearer
        shares: Floats = np.exp(-0.5 * (distances - distances.min(axis=1, keepdims=True)))
        shares /= shares.sum(axis=1, keepdims=True)
        return shares

    def _distances(self, told: Floats) -> Iterator[Floats]:
        """Yield the squared distances of examples to classes in the first 1, 2, ... dimensions, ties broken.

        Of classes that are equally far the more frequent one is a trace nearer.
        """
        places = np.tensordot(told, self.points, axes=2) / max(self.n_models, 1)
        distances = np.zeros((len(told), len(self.classes)))
        for dimension, of_classes in zip(places.T, self.classes.T, strict=True):
            distances += (dimension[:, None] - of_classes) ** 2
            yield np.round(distances, _DIGITS) - 0.1**_DIGITS * self.shares


def analyse(examples: ToldExamples) -> Scann:
    """Return the correspondence analysis of what models predicted, with the true class as one more model.

    A model that predicted the same class of all examples tells nothing and is left out.
    """
    told, labels, weights = examples
    n_classes = told.shape[2]
    indicator = np.concatenate([told, np.eye(n_classes)[labels][:, None]], axis=1)
    counted = weights / weights.sum()
    varied = np.all(np.tensordot(counted, indicator, axes=1) < 1.0 - 1e-12, axis=1)
    profiles = np.where(varied[:, None], indicator, 0.0).reshape(len(told), -1) / max(varied.sum(), 1)
    masses = counted @ profiles
    roots = np.sqrt(np.where(masses > 0.0, masses, np.inf))
    residuals = np.sqrt(counted)[:, None] * (profiles - masses) / roots
    _, sizes, directions = np.linalg.svd(residuals, full_matrices=False)
    kept = sizes > _FLAT * max(sizes.max(initial=0.0), _FLAT)
    points = (directions[kept] / roots).T.reshape(*indicator.shape[1:], -1)
    return Scann(points[:-1], points[-1] * sizes[kept], counted @ indicator[:, -1], int(varied[:-1].sum()))


def _best_number(examples: ToldExamples, folds: Sequence[Fold], most: int) -> int:
    """Return with how many dimensions folds that were not learned are told best; the fewest of equal ones."""
    if most <= 1 or not folds:
        return most
    right = np.zeros(most)
    for fit, test in folds:
        asked = examples.take(test)
        of_fold = np.zeros(most)
        stages = list(_right_by_dimension(analyse(examples.take(fit)), asked))[:most]
        of_fold[: len(stages)] = stages
        of_fold[len(stages) :] = stages[-1] if stages else 0.0
        right += of_fold
    return 1 + int(np.argmax(np.round(right / examples.weights.sum(), 12)))


def _right_by_dimension(space: Scann, asked: ToldExamples) -> Iterator[float]:
    for distances in space._distances(asked.told):
        yield float(asked.weights[distances.argmin(axis=1) == asked.labels].sum())
