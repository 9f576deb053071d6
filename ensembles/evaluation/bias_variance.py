"""Bias and variance of zero-one loss, after Kohavi & Wolpert (1996) and after Domingos (2000)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ensembles.errors import InvalidInput
from ensembles.evaluation.checks import check_classes

__all__ = ["Decomposition", "MainDecomposition", "decompose", "decompose_main"]

Labels = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Decomposition:
    """Mean bias and variance over a test set; `error`, the mean error of the models, is their sum."""

    bias: float
    variance: float
    error: float


@dataclass(frozen=True)
class MainDecomposition:
    """Mean error of models as `bias + unbiased_variance - biased_variance`, over a test set.

    Attributes
    ----------
    bias : float
        Share of examples whose main prediction, the class that most models predict, is wrong.
    unbiased_variance, biased_variance : float
        Errors of models that differ from a main prediction that is right, and right ones of those that differ from one
        that is wrong; both by all examples.
    """

    bias: float
    unbiased_variance: float
    biased_variance: float


def decompose(true: Labels, predicted: Labels, n_classes: int) -> Decomposition:
    """Split the mean error of models trained on different examples into bias and variance.

    Both terms are corrected, so that neither depends on the number of models in expectation and their sum is the error
    (WEKA's BVDecompose corrects the bias only). The label counts as certain: noise is part of the bias.

    Parameters
    ----------
    true : ndarray of int, shape (n_examples,)
        In [0, n_classes).
    predicted : ndarray of int, shape (n_models, n_examples)
        At least two models.

    References
    ----------
    Kohavi & Wolpert (1996), section 4; Bauer & Kohavi (1999), section 4.
    """
    true, predicted = _checked("decompose", true, predicted, n_classes)
    n_models, n = predicted.shape
    if n_models < 2:
        raise InvalidInput(f"decompose: predicted must be of two models or more, got {n_models}")
    told = np.zeros((n, n_classes))
    for one in predicted:
        told[np.arange(n), one] += 1.0
    share = told / n_models
    label = np.zeros((n, n_classes))
    label[np.arange(n), true] = 1.0
    spread = (share * (1.0 - share)).sum(axis=1) / (n_models - 1)
    bias = 0.5 * ((label - share) ** 2).sum(axis=1) - 0.5 * spread
    variance = 0.5 * (1.0 - (share**2).sum(axis=1)) * n_models / (n_models - 1)
    return Decomposition(float(bias.mean()), float(variance.mean()), float(1.0 - share[np.arange(n), true].mean()))


def decompose_main(true: Labels, predicted: Labels, n_classes: int) -> MainDecomposition:
    """Split the mean error of models trained on different examples into bias and variance around the main prediction.

    Of classes that equally many models predict the first one is the main prediction. Nothing is corrected for the number
    of models: with few of them the main prediction is one of few.

    Parameters
    ----------
    true, predicted, n_classes
        As in `decompose`.

    References
    ----------
    Domingos (2000), A unified bias-variance decomposition, section 3 (theorem 5); noise is taken for bias.
    """
    true, predicted = _checked("decompose_main", true, predicted, n_classes)
    n_models, n = predicted.shape
    told = np.zeros((n, n_classes))
    for one in predicted:
        told[np.arange(n), one] += 1.0
    right = told[np.arange(n), true] / n_models
    biased = told.argmax(axis=1) != true
    return MainDecomposition(
        float(biased.mean()),
        float(np.where(biased, 0.0, 1.0 - right).mean()),
        float(np.where(biased, right, 0.0).mean()),
    )


def _checked(owner: str, true: Labels, predicted: Labels, n_classes: int) -> tuple[Labels, Labels]:
    true, predicted = np.asarray(true), np.asarray(predicted)
    if predicted.ndim != 2 or true.shape != predicted.shape[1:] or not predicted.size:
        shapes = f"{true.shape} and {predicted.shape}"
        raise InvalidInput(
            f"{owner}: true must have an example or more and predicted a row of as many a model, got shapes {shapes}"
        )
    check_classes(owner, n_classes, true, predicted)
    return true, predicted
