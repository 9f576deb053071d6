"""The three kinds of trials: trained once and tested, on a stream, on many training sets from one pool."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ensembles.evaluation.bias_variance import decompose, decompose_main
from ensembles.evaluation.calibration import CALIBRATION, calibration_curve
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.curves import curves_after, fit_with_snapshots
from ensembles.evaluation.measures import evaluate
from ensembles.evaluation.predictions import Predictions, confusion_matrix
from ensembles.evaluation.timing import Stopwatch
from ensembles.experiments.config import BiasVariance, Prequential
from ensembles.experiments.records import TrialResult
from ensembles.experiments.stream_results import shown_confusion, single_predictions
from ensembles.experiments.stream_trial import run_stream
from ensembles.experiments.trial_data import Trial, predict, predict_test_set

__all__ = ["run_kind"]


def run_kind(trial: Trial) -> TrialResult:
    """Run a trial as its protocol says."""
    protocol = trial.config.protocol
    if isinstance(protocol, Prequential):
        return run_stream(trial, protocol)
    if isinstance(protocol, BiasVariance):
        return _run_training_sets(trial, protocol)
    return _run_split(trial)


def _run_split(trial: Trial) -> TrialResult:
    """Train on the training examples, test on the others."""
    examples, fitting, predicting = trial.examples(), Stopwatch(), Stopwatch()

    def accuracy(learner: Any) -> float:
        return float(np.mean(predict(learner, examples) == examples.y_test))

    if "learning_curve" in trial.config.curves:
        X, y = examples.X_train, examples.y_train
        learner, begun = fit_with_snapshots(trial.make, X, y, accuracy, fitting, trial.pause)
    else:
        learner, begun = trial.make(), None
        with fitting:
            learner.fit(examples.X_train, examples.y_train)
    trial.pause()
    predictions = predict_test_set(learner, examples, trial, predicting)
    assert predictions.trained is not None
    curves = curves_after(trial.config.curves, predictions.trained)
    measures = evaluate(trial.measures, predictions)
    if begun is not None:
        curves["learning_curve"] = Curve((*begun.x, float(len(examples.y_train))), (*begun.y, measures["accuracy"]))
    if "predictions" in trial.config.curves:
        curves |= single_predictions(examples.test_rows, predictions)
    return TrialResult(
        trial.plan.key,
        measures=measures,
        fit_seconds=fitting.seconds,
        predict_seconds=predicting.seconds,
        fit_cpu_seconds=fitting.cpu_seconds,
        predict_cpu_seconds=predicting.cpu_seconds,
        members_used=_members(learner),
        stopped=_why_stopped(learner),
        n_train=len(examples.y_train),
        n_test=len(examples.y_test),
        curves=curves | _calibration(predictions),
        confusion=_confusion([predictions]),
    )


def _calibration(predictions: Predictions) -> dict[str, Curve]:
    """Return how sure predictions are and how often they are right, where a measure needed their probabilities."""
    return {} if predictions.probabilities is None else {CALIBRATION: calibration_curve(predictions)}


def _run_training_sets(trial: Trial, protocol: BiasVariance) -> TrialResult:
    """Train on every training set of the pool, test all on the other examples; measures are means over the training sets."""
    fitting, predicting = Stopwatch(), Stopwatch()
    told, measured, members, reasons = [], [], [], []
    for number in range(protocol.training_sets):
        one = trial.with_order(number)
        examples, learner = one.examples(), one.make()
        trial.pause()
        with fitting:
            learner.fit(examples.X_train, examples.y_train)
        predictions = predict_test_set(learner, examples, one, predicting)
        measured.append(evaluate(trial.measures, predictions))
        told.append(replace(predictions, trained=None))
        members.append(_members(learner))
        reasons.append(_why_stopped(learner))
    answers = examples.y_test, np.array([one.predicted for one in told]), examples.n_classes
    parts, main = decompose(*answers), decompose_main(*answers)
    around_main = {
        "main_bias": main.bias,
        "unbiased_variance": main.unbiased_variance,
        "biased_variance": main.biased_variance,
    }
    means = {key: float(np.mean([measures[key] for measures in measured])) for key in trial.measures}
    return TrialResult(
        trial.plan.key,
        measures={**means, "bias": parts.bias, "variance": parts.variance, **around_main},
        fit_seconds=fitting.seconds,
        predict_seconds=predicting.seconds,
        fit_cpu_seconds=fitting.cpu_seconds,
        predict_cpu_seconds=predicting.cpu_seconds,
        members_used=round(float(np.mean(members))),
        stopped=next(filter(None, reasons), None),
        n_train=len(examples.y_train),
        n_test=len(examples.y_test),
        confusion=_confusion(told),
    )


def _members(learner: Any) -> int:
    return int(getattr(learner, "n_members_", 1))


def _why_stopped(learner: Any) -> str | None:
    return getattr(learner, "stop_reason_", None)


def _confusion(told: list[Predictions]) -> tuple[tuple[int, ...], ...]:
    """Return the sum of the confusion matrices."""
    return shown_confusion(sum(map(confusion_matrix, told), start=np.zeros((1, 1), dtype=np.int64)))
