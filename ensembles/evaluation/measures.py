"""Numbers computed from the predictions on a test set."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from sklearn.metrics import cohen_kappa_score, f1_score, log_loss, recall_score

__all__ = [
    "KNOWN",
    "MEASURES",
    "PROTOCOL_MEASURES",
    "Meaning",
    "Measure",
    "Predictions",
    "confusion_matrix",
    "evaluate",
]


@dataclass(frozen=True)
class Predictions:
    """What a learner said about a test set.

    Attributes
    ----------
    true, predicted : ndarray of int, shape (n_examples,)
        Index into the classes of the data set.
    n_classes : int
        Classes of the data set, whether or not they were seen in training.
    probabilities : ndarray of float, shape (n_examples, n_classes), or None
        None when no measure needs them; 0 for a class that was not seen in training.
    in_order : bool
        The examples came one after the other, each predicted before it was learned.
    """

    true: npt.NDArray[np.int64]
    predicted: npt.NDArray[np.int64]
    n_classes: int
    probabilities: npt.NDArray[np.float64] | None = None
    in_order: bool = False

    @property
    def of_true_class(self) -> npt.NDArray[np.float64]:
        """Probability given to the true class of each example."""
        assert self.probabilities is not None
        return self.probabilities[np.arange(len(self.true)), self.true]


@dataclass(frozen=True, kw_only=True)
class Meaning:
    """What a number says.

    Attributes
    ----------
    name : str
        What people read.
    unit : str
        `share` (of the test examples), `score` (no unit), or `nats`.
    better : {"higher", "lower"}
    low, high : float
        Bounds of the values.
    summary : str
        One sentence that says what the number means.
    """

    key: str
    name: str
    unit: str
    better: Literal["higher", "lower"]
    low: float
    high: float
    summary: str


@dataclass(frozen=True, kw_only=True)
class Measure(Meaning):
    """A number computed from predictions.

    Attributes
    ----------
    needs_probabilities : bool
    needs_order : bool
        Only the predictions of a stream have it.
    """

    needs_probabilities: bool
    needs_order: bool = False
    compute: Callable[[Predictions], float]


def _accuracy(predictions: Predictions) -> float:
    return float(np.mean(predictions.true == predictions.predicted))


def _error(predictions: Predictions) -> float:
    return float(np.mean(predictions.true != predictions.predicted))


def _balanced_accuracy(predictions: Predictions) -> float:
    # The macro recall of the classes in the test set is balanced accuracy, without its warning about other classes.
    present = np.unique(predictions.true)
    return float(recall_score(predictions.true, predictions.predicted, labels=present, average="macro"))


def _macro_f1(predictions: Predictions) -> float:
    return float(f1_score(predictions.true, predictions.predicted, average="macro", zero_division=0.0))


def _kappa(predictions: Predictions) -> float:
    if len(np.union1d(predictions.true, predictions.predicted)) == 1:
        return float("nan")  # chance agreement is 1: kappa is 0 / 0
    return float(cohen_kappa_score(predictions.true, predictions.predicted))


def _kappa_temporal(predictions: Predictions) -> float:
    # Before the first example there is no class to repeat: that counts as an error, so chance is never 1.
    repeated = np.count_nonzero(predictions.true[1:] == predictions.true[:-1]) / len(predictions.true)
    return float((_accuracy(predictions) - repeated) / (1.0 - repeated))


def _mse(predictions: Predictions) -> float:
    return float(np.mean((1.0 - predictions.of_true_class) ** 2))


def _log_loss(predictions: Predictions) -> float:
    labels = np.arange(predictions.n_classes)
    return float(log_loss(predictions.true, predictions.probabilities, labels=labels))


#: Every measure, by key, in the order in which people are offered them.
MEASURES: dict[str, Measure] = {
    measure.key: measure
    for measure in (
        Measure(
            key="accuracy",
            name="Accuracy",
            unit="share",
            better="higher",
            needs_probabilities=False,
            low=0.0,
            high=1.0,
            summary="Share of test examples whose class is predicted right.",
            compute=_accuracy,
        ),
        Measure(
            key="error",
            name="Error",
            unit="share",
            better="lower",
            needs_probabilities=False,
            low=0.0,
            high=1.0,
            summary="Share of test examples whose class is predicted wrong.",
            compute=_error,
        ),
        Measure(
            key="balanced_accuracy",
            name="Balanced accuracy",
            unit="share",
            better="higher",
            needs_probabilities=False,
            low=0.0,
            high=1.0,
            summary="Accuracy within each class of the test set, averaged over these classes.",
            compute=_balanced_accuracy,
        ),
        Measure(
            key="macro_f1",
            name="Macro F1",
            unit="score",
            better="higher",
            needs_probabilities=False,
            low=0.0,
            high=1.0,
            summary="Harmonic mean of precision and recall, averaged over the classes that occur or are predicted.",
            compute=_macro_f1,
        ),
        Measure(
            key="kappa",
            name="Cohen's kappa",
            unit="score",
            better="higher",
            needs_probabilities=False,
            low=-1.0,
            high=1.0,
            summary="Agreement beyond chance: 0 is as good as chance, 1 is perfect.",
            compute=_kappa,
        ),
        Measure(
            key="kappa_temporal",
            name="Kappa-temporal",
            unit="score",
            better="higher",
            needs_probabilities=False,
            needs_order=True,
            low=float("-inf"),
            high=1.0,
            summary="Accuracy beyond repeating the class of the example before: 0 is as good as that, 1 is perfect.",
            compute=_kappa_temporal,
        ),
        Measure(
            key="mse",
            name="Mean squared error",
            unit="score",
            better="lower",
            needs_probabilities=True,
            low=0.0,
            high=1.0,
            summary="Mean over the test examples of (1 - probability of the true class) squared.",
            compute=_mse,
        ),
        Measure(
            key="log_loss",
            name="Logarithmic loss",
            unit="nats",
            better="lower",
            needs_probabilities=True,
            low=0.0,
            high=float("inf"),
            summary="Mean of -ln(probability of the true class); a probability of 0 counts as about 2e-16.",
            compute=_log_loss,
        ),
    )
}


#: Measures that a protocol takes by itself, beside those asked for.
PROTOCOL_MEASURES: dict[str, Meaning] = {
    meaning.key: meaning
    for meaning in (
        Meaning(
            key="final_accuracy",
            name="Final accuracy",
            unit="share",
            better="higher",
            low=0.0,
            high=1.0,
            summary="Share of the last examples of the stream whose class is predicted right, learning going on.",
        ),
        Meaning(
            key="bias",
            name="Bias",
            unit="share",
            better="lower",
            low=0.0,
            high=1.0,
            summary="Part of the error that models trained on different examples have in common (noise included).",
        ),
        Meaning(
            key="variance",
            name="Variance",
            unit="share",
            better="lower",
            low=0.0,
            high=0.5,
            summary="Part of the error that comes from models trained on different examples predicting differently.",
        ),
    )
}

#: Every number that a trial may leave behind, by key.
KNOWN: dict[str, Meaning] = {**MEASURES, **PROTOCOL_MEASURES}


def evaluate(keys: Sequence[str], predictions: Predictions) -> dict[str, float]:
    """Return the measures called `keys`; NaN where a measure is not defined for these predictions."""
    return {key: MEASURES[key].compute(predictions) for key in keys}


def confusion_matrix(predictions: Predictions) -> npt.NDArray[np.int64]:
    """Return counts of test examples, shape (n_classes, n_classes): rows are true classes, columns predicted ones."""
    k = predictions.n_classes
    return np.bincount(predictions.true * k + predictions.predicted, minlength=k * k).reshape(k, k)
