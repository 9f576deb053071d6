"""The three kinds of trials: trained once and tested, on a stream, on many training sets from one pool."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ensembles.errors import InvalidData
from ensembles.evaluation.bias_variance import decompose, decompose_main
from ensembles.evaluation.calibration import CALIBRATION, calibration_curve
from ensembles.evaluation.curve import Curve
from ensembles.evaluation.curves import curves_after, fit_with_snapshots
from ensembles.evaluation.measures import evaluate
from ensembles.evaluation.predictions import Predictions, confusion_matrix
from ensembles.evaluation.prequential import begin_final, error_curves, predict_then_learn
from ensembles.evaluation.right_or_wrong import MOST_KEPT, RIGHT_OR_WRONG, pack_right
from ensembles.evaluation.timing import Stopwatch
from ensembles.evaluation.trained_model import TrainedModel
from ensembles.experiments.config import BiasVariance, Prequential
from ensembles.experiments.records import TrialResult
from ensembles.experiments.trial_data import Labels, Trial, predict, predict_test_set

__all__ = ["run_kind"]

_MOST_CLASSES_SHOWN = 100


def run_kind(trial: Trial) -> TrialResult:
    """Run a trial as its protocol says."""
    protocol = trial.config.protocol
    if isinstance(protocol, Prequential):
        return _run_stream(trial, protocol)
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
        curves |= _single_predictions(examples.test_rows, predictions)
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


def _run_stream(trial: Trial, protocol: Prequential) -> TrialResult:
    """Predict every example, then learn it; measures of the model are those at the end."""
    examples, stopwatch = trial.examples(), Stopwatch()
    X, y, learner = examples.X_train, examples.y_train, trial.make()
    if trial.needs_probabilities and not hasattr(learner, "predict_proba"):
        raise InvalidData("it gives no probabilities, which a chosen measure needs")
    stream = predict_then_learn(
        learner,
        X,
        y,
        examples.n_classes,
        probabilities=trial.needs_probabilities,
        unpredicted=examples.unpredicted,
        stopwatch=stopwatch,
        pause=trial.pause,
    )
    trained = TrainedModel(learner, X, y, X, y, examples.rows, trial.seed, trial.pause)
    predictions = Predictions(
        stream.true, stream.predicted, examples.n_classes, stream.probabilities, in_order=True, trained=trained
    )
    last = max(begin_final(len(y), protocol.final_fraction) - stream.first, 0)
    final = float(np.mean(stream.true[last:] == stream.predicted[last:]))
    curves = curves_after(trial.config.curves, trained)
    if "prequential_error" in trial.config.curves:
        curves |= error_curves(stream)
    if "predictions" in trial.config.curves:
        curves |= _single_predictions(np.arange(stream.first, len(y)), predictions)
    if len(stream.true) <= MOST_KEPT:
        curves[RIGHT_OR_WRONG] = pack_right(stream.first, stream.true == stream.predicted)
    return TrialResult(
        trial.plan.key,
        measures={**evaluate(trial.measures, predictions), "final_accuracy": final},
        fit_seconds=stopwatch.seconds,
        fit_cpu_seconds=stopwatch.cpu_seconds,
        members_used=_members(learner),
        stopped=_why_stopped(learner),
        n_train=len(y),
        n_test=len(stream.true),
        curves=curves | _calibration(predictions),
        confusion=_confusion([predictions]),
    )


def _single_predictions(places: Labels, predictions: Predictions) -> dict[str, Curve]:
    x = tuple(map(float, places))
    told = {"predictions": predictions.predicted, "predictions_true": predictions.true}
    return {name: Curve(x, tuple(map(float, classes))) for name, classes in told.items()}


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
    """Return the sum of the confusion matrices; empty with more classes than a person reads."""
    if told[0].n_classes > _MOST_CLASSES_SHOWN:
        return ()
    return tuple(tuple(row) for row in sum(map(confusion_matrix, told), start=np.array(0)).tolist())
