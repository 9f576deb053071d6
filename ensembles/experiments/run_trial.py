"""One learner on one train/test split in one order: train, time, test, measure."""

from __future__ import annotations

import platform
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.dataset import Dataset
from ensembles.data.table import Table
from ensembles.errors import EnsembleLabError, InvalidData
from ensembles.evaluation.curves import curves_after, fit_with_snapshots
from ensembles.evaluation.measures import MEASURES, Predictions, confusion_matrix, evaluate
from ensembles.evaluation.timing import Stopwatch
from ensembles.evaluation.trained import Trained
from ensembles.experiments.config import ExperimentConfig, GivenSplit
from ensembles.experiments.records import Curve, TrialPlan, TrialResult
from ensembles.experiments.trials import learner_seed, split_of
from ensembles.experiments.warm_up import warm_up
from ensembles.jit import source_digest

__all__ = ["Cancelled", "run_trial"]

_LONGEST_REASON = 400
_MOST_CLASSES_SHOWN = 100

Labels = npt.NDArray[np.int64]


class Cancelled(EnsembleLabError):
    """The user wants the experiment to stop; the trial leaves nothing behind."""


@dataclass(frozen=True)
class _Examples:
    """The examples of one trial."""

    X_train: Table
    y_train: Labels
    X_test: Table
    y_test: Labels
    n_classes: int
    train_rows: Labels


def run_trial(
    plan: TrialPlan,
    dataset: Dataset,
    config: ExperimentConfig,
    *,
    test_dataset: Dataset | None = None,
    should_stop: Callable[[], bool] | None = None,
) -> TrialResult:
    """Run one trial.

    Parameters
    ----------
    dataset : Dataset
        `config.datasets[plan.dataset]`, loaded.
    test_dataset : Dataset, optional
        The given test set, with the attributes and classes of `dataset` (`resolve_test_dataset`); needed by the
        protocol `given_split` and by no other.
    should_stop : callable, optional
        Asked before and during training.

    Returns
    -------
    TrialResult
        With the sentence `error` and no measures when the learner fails. Accuracy is always among the measures. A
        confusion matrix is kept up to 100 classes.

    Raises
    ------
    Cancelled
        `should_stop` said so.
    """

    def pause() -> None:
        if should_stop is not None and should_stop():
            raise Cancelled("the experiment was cancelled")

    pause()
    try:
        return _run(plan, dataset, config, test_dataset, pause)
    except Cancelled:
        raise
    except Exception as error:
        sentence = f"{config.labels()[plan.learner]} on {dataset.name}: {_reason(error)}"
        return TrialResult(plan.key, error=sentence, host=platform.node(), version=_version())


def _run(
    plan: TrialPlan,
    dataset: Dataset,
    config: ExperimentConfig,
    test_dataset: Dataset | None,
    pause: Callable[[], None],
) -> TrialResult:
    spec, examples = config.learners[plan.learner], _examples_of(plan, dataset, config, test_dataset)
    seed = learner_seed(config, dataset, plan)
    fitting, predicting = Stopwatch(), Stopwatch()

    def make() -> Any:
        learner = spec.make(seed)
        learner.on_progress = lambda _: pause()
        if "hard_examples" in config.curves:
            learner.keep_weights = True
        return learner

    def accuracy(learner: Any) -> float:
        return float(np.mean(_predicted(learner, examples) == examples.y_test))

    warm_up(spec, dataset)
    pause()
    if "learning_curve" in config.curves:
        learner, begun = fit_with_snapshots(make, examples.X_train, examples.y_train, accuracy, fitting, pause)
    else:
        learner, begun = make(), None
        with fitting:
            learner.fit(examples.X_train, examples.y_train)
    pause()
    with predicting:
        predicted = _predicted(learner, examples)
    wanted = tuple(dict.fromkeys((*config.measures, "accuracy")))
    needs_probabilities = any(MEASURES[key].needs_probabilities for key in wanted)
    probabilities = _probabilities(learner, examples) if needs_probabilities else None
    trained = _trained(learner, examples, seed, pause)
    curves = curves_after(config.curves, trained)
    predictions = Predictions(examples.y_test, predicted, examples.n_classes, probabilities, trained=trained)
    measures = evaluate(wanted, predictions)
    if begun is not None:
        curves["learning_curve"] = Curve((*begun.x, float(len(examples.y_train))), (*begun.y, measures["accuracy"]))
    return TrialResult(
        plan.key,
        measures=measures,
        fit_seconds=fitting.seconds,
        predict_seconds=predicting.seconds,
        fit_cpu_seconds=fitting.cpu_seconds,
        members_used=int(getattr(learner, "n_members_", 1)),
        n_train=len(examples.y_train),
        n_test=len(examples.y_test),
        curves=curves,
        confusion=_confusion(predictions),
        host=platform.node(),
        version=_version(),
    )


def _trained(learner: Any, examples: _Examples, seed: int, pause: Callable[[], None]) -> Trained:
    X_train, y_train, X_test, y_test = examples.X_train, examples.y_train, examples.X_test, examples.y_test
    return Trained(learner, X_train, y_train, X_test, y_test, examples.train_rows, seed, pause)


class _LastExamples:
    """The examples of the last split and order: neighbours in a plan differ in the learner only."""

    def __init__(self) -> None:
        self.place: tuple[Any, ...] = ()
        self.examples: _Examples | None = None


_last = _LastExamples()


def _examples_of(
    plan: TrialPlan, dataset: Dataset, config: ExperimentConfig, test_dataset: Dataset | None
) -> _Examples:
    if isinstance(config.protocol, GivenSplit) != (test_dataset is not None):
        raise InvalidData("a test data set goes with the protocol given_split, and with no other")
    tested = test_dataset.sha256 if test_dataset else ""
    split = str(config.protocol.split_settings())
    place = (dataset.sha256, tested, split, config.seed, plan.repeat, plan.fold, plan.order)
    if _last.examples is None or _last.place != place:
        train_rows, test_rows = split_of(config, dataset, plan)
        X_train, y_train = dataset.take(train_rows)
        X_test, y_test = (test_dataset.table, test_dataset.labels) if test_dataset else dataset.take(test_rows)
        _last.place, _last.examples = (
            place,
            _Examples(X_train, y_train, X_test, y_test, len(dataset.classes), train_rows),
        )
    return _last.examples


def _predicted(learner: Any, examples: _Examples) -> Labels:
    """Return the predicted classes, as positions in the classes of the data set."""
    predicted = np.asarray(learner.predict(examples.X_test))
    if predicted.shape != examples.y_test.shape or not np.isin(predicted, learner.classes_).all():
        raise InvalidData("the predictions are not one known class for each test example")
    return predicted.astype(np.int64)


def _probabilities(learner: Any, examples: _Examples) -> npt.NDArray[np.float64]:
    """Return probabilities of all classes of the data set; 0 for those the learner has not seen."""
    if not hasattr(learner, "predict_proba"):
        raise InvalidData("it gives no probabilities, which a chosen measure needs")
    known = np.asarray(learner.predict_proba(examples.X_test), dtype=np.float64)
    probabilities = np.zeros((len(examples.y_test), examples.n_classes))
    probabilities[:, np.asarray(learner.classes_, dtype=np.int64)] = known
    if not np.isfinite(probabilities).all():
        raise InvalidData("a predicted probability is not a number")
    return probabilities


def _confusion(predictions: Predictions) -> tuple[tuple[int, ...], ...]:
    if predictions.n_classes > _MOST_CLASSES_SHOWN:
        return ()
    return tuple(tuple(row) for row in confusion_matrix(predictions).tolist())


def _reason(error: Exception) -> str:
    """Return why a trial failed, on one line; the kind of error is told unless it is one of ours."""
    text = " ".join(str(error).split())
    if not isinstance(error, EnsembleLabError):
        text = f"{type(error).__name__}: {text}" if text else type(error).__name__
    return text if len(text) <= _LONGEST_REASON else f"{text[: _LONGEST_REASON - 1]}…"


@cache
def _version() -> str:
    return source_digest()
