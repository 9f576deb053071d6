"""By how much each prediction moves a measure of predicted classes: its influence, of which intervals are made.

A measure T of the shares of a confusion matrix changes by about the mean of the influences when examples change, so that
the mean of a series of influences spreads as the measure does (the delta method; Hampel, 1974). Influences sum to 0.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import check_classes

__all__ = ["OF_PREDICTED", "influences"]

Floats = npt.NDArray[np.float64]
Labels = npt.NDArray[np.int64]


def influences(measure: str, true: Labels, predicted: Labels, n_classes: int) -> tuple[float, Floats]:
    """Return a measure of `OF_PREDICTED`, and the influence of each example on it.

    Parameters
    ----------
    true, predicted : ndarray of int, shape (n_examples,)
        In [0, n_classes), one example or more.

    Returns
    -------
    float
        The measure; NaN where it is not defined.
    ndarray of float, shape (n_examples,)
        In units of the measure.
    """
    if measure not in OF_PREDICTED:
        raise InvalidInput(f"influences: measure must be one of {', '.join(OF_PREDICTED)}, got {measure!r}")
    true, predicted = np.asarray(true), np.asarray(predicted)
    if true.ndim != 1 or true.shape != predicted.shape or not true.size:
        raise InvalidInput(
            "influences: true and predicted must be of one length, an example or more, got shapes "
            f"{true.shape} and {predicted.shape}"
        )
    check_classes("influences", n_classes, true, predicted)
    cells = true * n_classes + predicted
    counts = np.bincount(cells, minlength=n_classes * n_classes).reshape(n_classes, n_classes)
    with np.errstate(divide="ignore", invalid="ignore"):
        value, of_cells = OF_PREDICTED[measure](counts / len(true))
    return value, of_cells.ravel()[cells]


def _accuracy(shares: Floats) -> tuple[float, Floats]:
    value = float(np.trace(shares))
    return value, np.eye(len(shares)) - value


def _error(shares: Floats) -> tuple[float, Floats]:
    value, of_cells = _accuracy(shares)
    return 1.0 - value, -of_cells


def _balanced_accuracy(shares: Floats) -> tuple[float, Floats]:
    true = shares.sum(axis=1)
    there = true > 0
    recall = np.where(there, np.diag(shares) / true, 0.0)
    weight = np.where(there, 1.0 / true, 0.0) / there.sum()
    return float(recall.sum() / there.sum()), (np.eye(len(shares)) - recall[:, np.newaxis]) * weight[:, np.newaxis]


def _macro_f1(shares: Floats) -> tuple[float, Floats]:
    both = shares.sum(axis=1) + shares.sum(axis=0)
    there = both > 0
    f1 = np.where(there, 2.0 * np.diag(shares) / both, 0.0)
    weight = np.where(there, 1.0 / both, 0.0) / there.sum()
    lost = f1 * weight
    of_cells = 2.0 * np.diag(weight) - lost[:, np.newaxis] - lost
    return float(f1.sum() / there.sum()), of_cells


def _chance(shares: Floats) -> tuple[float, float, Floats, Floats]:
    """Return accuracy and that by chance, and the influence of each cell on both."""
    true, predicted = shares.sum(axis=1), shares.sum(axis=0)
    right, chance = float(np.trace(shares)), float(true @ predicted)
    of_chance = predicted[:, np.newaxis] + true - 2.0 * chance
    return right, chance, np.eye(len(shares)) - right, of_chance


def _kappa(shares: Floats) -> tuple[float, Floats]:
    right, chance, of_right, of_chance = _chance(shares)
    if chance >= 1.0:
        return float("nan"), np.full(shares.shape, np.nan)
    return (right - chance) / (1.0 - chance), (of_right * (1.0 - chance) - of_chance * (1.0 - right)) / (
        1.0 - chance
    ) ** 2


def _matthews_correlation(shares: Floats) -> tuple[float, Floats]:
    right, chance, of_right, of_chance = _chance(shares)
    true, predicted = shares.sum(axis=1), shares.sum(axis=0)
    spread_true, spread_predicted = 1.0 - float(true @ true), 1.0 - float(predicted @ predicted)
    scale = np.sqrt(spread_true * spread_predicted)
    if not scale > 0.0:
        return float("nan"), np.full(shares.shape, np.nan)
    value = (right - chance) / scale
    of_spreads = (true @ true - true)[:, np.newaxis] / spread_true + (
        predicted @ predicted - predicted
    ) / spread_predicted
    return float(value), (of_right - of_chance) / scale - value * of_spreads


OF_PREDICTED: dict[str, Callable[[Floats], tuple[float, Floats]]] = {
    "accuracy": _accuracy,
    "error": _error,
    "balanced_accuracy": _balanced_accuracy,
    "macro_f1": _macro_f1,
    "kappa": _kappa,
    "matthews_correlation": _matthews_correlation,
}
"""By key of a measure: from the shares of a confusion matrix to its value and the influence of each cell."""
