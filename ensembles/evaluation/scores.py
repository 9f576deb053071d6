"""From predictions on a test set, and the learner that made them, to one number: what `measures` are computed by."""

from collections.abc import Callable

import numpy as np
from sklearn.metrics import cohen_kappa_score, f1_score, log_loss, matthews_corrcoef, recall_score, roc_auc_score

from ensembles.evaluation.model_size import bytes_of
from ensembles.evaluation.piecewise import gaps_of
from ensembles.evaluation.predictions import Predictions

__all__ = [
    "accuracy",
    "auc",
    "balanced_accuracy",
    "brier_score",
    "calibration_error",
    "error",
    "kappa",
    "kappa_temporal",
    "macro_f1",
    "matthews_correlation",
    "mean_log_loss",
    "model_bytes",
    "mse",
    "of_pairs",
    "ram_hours",
    "recovery",
    "throughput",
    "tree_depth",
    "tree_nodes",
]


def accuracy(predictions: Predictions) -> float:
    """Return the share of right predictions."""
    return float(np.average(predictions.true == predictions.predicted, weights=predictions.counts))


def error(predictions: Predictions) -> float:
    """Return the share of wrong predictions."""
    return float(np.average(predictions.true != predictions.predicted, weights=predictions.counts))


def balanced_accuracy(predictions: Predictions) -> float:
    """Return the mean recall over the classes of the test set."""
    # The macro recall of the classes in the test set is balanced accuracy, without its warning about other classes.
    present = np.unique(predictions.true)
    pairs, n = (predictions.true, predictions.predicted), predictions.counts
    return float(recall_score(*pairs, labels=present, average="macro", sample_weight=n))


def macro_f1(predictions: Predictions) -> float:
    """Return the mean F1 over the classes that occur or are predicted."""
    pairs, n = (predictions.true, predictions.predicted), predictions.counts
    return float(f1_score(*pairs, average="macro", zero_division=0.0, sample_weight=n))


def matthews_correlation(predictions: Predictions) -> float:
    """Return the correlation of predicted and true classes; NaN where either are all the same."""
    if min(len(np.unique(predictions.true)), len(np.unique(predictions.predicted))) < 2:
        return float("nan")  # without spread there is no correlation: 0 / 0
    return float(matthews_corrcoef(predictions.true, predictions.predicted, sample_weight=predictions.counts))


def kappa(predictions: Predictions) -> float:
    """Return Cohen's kappa; NaN where chance alone agrees everywhere."""
    if len(np.union1d(predictions.true, predictions.predicted)) == 1:
        return float("nan")  # chance agreement is 1: kappa is 0 / 0
    return float(cohen_kappa_score(predictions.true, predictions.predicted, sample_weight=predictions.counts))


def kappa_temporal(predictions: Predictions) -> float:
    """Return the kappa against repeating the class before; NaN of predictions without an order."""
    if not predictions.in_order:
        return float("nan")
    # Before the first example there is no class to repeat: that counts as an error, so chance is never 1.
    repeated = np.count_nonzero(predictions.true[1:] == predictions.true[:-1]) / len(predictions.true)
    return float((accuracy(predictions) - repeated) / (1.0 - repeated))


def ram_hours(predictions: Predictions) -> float:
    """Return the millionths of RAM-hours that a stream took; NaN of predictions without one."""
    return predictions.course.ram_hours if predictions.course else float("nan")


def throughput(predictions: Predictions) -> float:
    """Return the examples of a stream that are predicted and learned in a second; NaN of predictions without one."""
    return predictions.course.throughput if predictions.course else float("nan")


def recovery(predictions: Predictions) -> float:
    """Return the examples until the error is that of before a change; NaN where no change is known."""
    return predictions.course.recovery if predictions.course else float("nan")


def mse(predictions: Predictions) -> float:
    """Return the mean squared distance of the probability of the true class from 1."""
    return float(np.mean((1.0 - predictions.of_true_class) ** 2))


def brier_score(predictions: Predictions) -> float:
    """Return the mean squared distance of the probabilities of all classes from 1 for the true one and 0 for the others."""
    assert predictions.probabilities is not None
    squares = (predictions.probabilities**2).sum(axis=1) + 1.0 - 2.0 * predictions.of_true_class
    return float(np.mean(squares))


def calibration_error(predictions: Predictions) -> float:
    """Return the mean distance between how sure predictions are and how often they are right, in 15 bins of sureness."""
    return float(np.abs(gaps_of(predictions)).sum() / len(predictions.true))


def mean_log_loss(predictions: Predictions) -> float:
    """Return the mean logarithmic loss."""
    labels = np.arange(predictions.n_classes)
    return float(log_loss(predictions.true, predictions.probabilities, labels=labels))


def auc(predictions: Predictions) -> float:
    """Return the mean area under the ROC curves of the classes; NaN without one."""
    assert predictions.probabilities is not None
    # Of two classes one is enough: the other gives the same area.
    classes = [1] if predictions.n_classes == 2 else np.unique(predictions.true)
    areas = []
    for c in classes:
        of_class = predictions.true == c
        if 0 < of_class.sum() < len(of_class):
            areas.append(roc_auc_score(of_class, predictions.probabilities[:, c]))
    return float(np.mean(areas)) if areas else float("nan")


def tree_nodes(predictions: Predictions) -> float:
    """Return the mean number of nodes of members that are trees; NaN without one."""
    return _mean_size(predictions, "nodes")


def tree_depth(predictions: Predictions) -> float:
    """Return the mean depth of members that are trees; NaN without one."""
    return _mean_size(predictions, "depth")


def _mean_size(predictions: Predictions, of: str) -> float:
    learner = predictions.trained.learner if predictions.trained else None
    sizes = [getattr(size, of) for size in getattr(learner, "member_sizes_", ()) if size is not None]
    return float(np.mean(sizes)) if sizes else float("nan")


def model_bytes(predictions: Predictions) -> float:
    """Return the bytes of all arrays that the trained learner holds, and its library beside them; NaN without a learner."""
    if predictions.trained is None:
        return float("nan")
    return float(bytes_of(predictions.trained.learner))


def of_pairs(mean: Callable[..., float]) -> Callable[[Predictions], float]:
    """Return the score that is the mean of something over pairs of members."""

    def compute(predictions: Predictions) -> float:
        return mean(predictions.trained.member_pairs if predictions.trained else None)

    return compute
