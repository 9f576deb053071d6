"""What every kind of trial needs: its examples, its untrained learner, and what a trained one answers about the test."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.data.dataset import Dataset
from ensembles.data.source import Source
from ensembles.data.table import Table
from ensembles.errors import InvalidData
from ensembles.evaluation.measures import MEASURES
from ensembles.evaluation.predictions import Predictions
from ensembles.evaluation.stream_watch import StreamWatch
from ensembles.evaluation.timing import Stopwatch
from ensembles.evaluation.trained_model import TrainedModel
from ensembles.experiments.config import ExperimentConfig, GivenSplit, Prequential
from ensembles.experiments.learner_spec import LearnerSpec
from ensembles.experiments.records import TrialPlan
from ensembles.experiments.trials import learner_seed, split_of

__all__ = ["SplitData", "Trial", "encoder_head", "predict", "predict_test_set"]

Labels = npt.NDArray[np.int64]

_HEAD_SHARE, _LONGEST_HEAD = 10, 1000


@dataclass(frozen=True)
class SplitData:
    """The examples of one trial.

    Attributes
    ----------
    rows, test_rows : ndarray of int
        Where those for training and for the test stand in their data set; of a stream, no test.
    unpredicted : int
        Of a stream, how many at its head are learned before anything is predicted, as an encoder was fitted to them.
    encoder : AttributeEncoder or None
        By which they were encoded.
    """

    X_train: Table
    y_train: Labels
    X_test: Table
    y_test: Labels
    n_classes: int
    rows: Labels
    test_rows: Labels
    unpredicted: int = 0
    encoder: Any = None


@dataclass(frozen=True)
class Trial:
    """A trial to be run; `pause` raises when it is to end."""

    plan: TrialPlan
    dataset: Dataset | Source
    config: ExperimentConfig
    test_dataset: Dataset | None
    pause: Callable[[], None]
    watch: StreamWatch | None = None

    @property
    def spec(self) -> LearnerSpec:
        """The learner as the experiment names it."""
        return self.config.learners[self.plan.learner]

    @property
    def seed(self) -> int:
        """Of the learner's own draws."""
        return learner_seed(self.config, self.dataset, self.plan)

    @cached_property
    def measures(self) -> tuple[str, ...]:
        """Keys of the measures to take of predictions: those asked for and those of the protocol."""
        wanted = dict.fromkeys((*self.config.measures, *self.config.protocol.own_measures))
        return tuple(key for key in wanted if key in MEASURES)

    @property
    def needs_probabilities(self) -> bool:
        """Whether a measure is taken of class probabilities."""
        return any(MEASURES[key].needs_probabilities for key in self.measures)

    def make(self) -> Any:
        """Return the learner, untrained."""
        learner = self.spec.make(self.seed)
        learner.on_progress = lambda _: self.pause()
        learner.warns_if_stopped = False  # the result says how many members there are
        if "hard_examples" in self.config.curves:
            learner.keep_weights = True
        return learner

    def with_order(self, order: int) -> Trial:
        """Return the trial of another order: for bias and variance, of another training set."""
        return replace(self, plan=replace(self.plan, order=order))

    def examples(self) -> SplitData:
        """Return the examples, in the order in which they are learned, encoded if the learner wants it.

        The encoder is fitted to the training examples; of a stream, to the first tenth, or the first 1,000 if that is less.
        """
        examples = _last.examples_of(self)
        if (encoder := self.spec.make_encoder()) is None:
            return examples
        head, unpredicted = len(examples.y_train), 0
        if isinstance(self.config.protocol, Prequential):
            head = unpredicted = encoder_head(head)
        encoder.fit(examples.X_train.take(slice(0, head)), examples.y_train[:head])
        X_train, X_test = encoder.transform(examples.X_train), encoder.transform(examples.X_test)
        return replace(examples, X_train=X_train, X_test=X_test, unpredicted=unpredicted, encoder=encoder)


def encoder_head(n: int) -> int:
    """Return to how many examples at the head of a stream of n an encoder is fitted."""
    return min(max(n // _HEAD_SHARE, 1), _LONGEST_HEAD)


class _LastSplitData:
    """The examples of the last split and order: neighbours in a plan differ in the learner only."""

    def __init__(self) -> None:
        self.place: tuple[Any, ...] = ()
        self.examples: SplitData | None = None

    def examples_of(self, trial: Trial) -> SplitData:
        config, dataset, test, plan = trial.config, trial.dataset, trial.test_dataset, trial.plan
        if not isinstance(dataset, Dataset):
            raise InvalidData(f"{dataset.name} is read in batches, not held in memory")
        if isinstance(config.protocol, GivenSplit) != (test is not None):
            raise InvalidData("a test data set goes with the protocol given_split, and with no other")
        tested = test.sha256 if test else ""
        split = str(config.protocol.split_settings())
        place = (dataset.sha256, tested, split, config.seed, plan.repeat, plan.fold, plan.order)
        if self.examples is None or self.place != place:
            rows, test_rows = split_of(config, dataset, plan)
            X_test, y_test = (test.table, test.labels) if test else dataset.take(test_rows)
            test_rows = np.arange(len(test)) if test else test_rows
            self.examples = SplitData(*dataset.take(rows), X_test, y_test, len(dataset.classes), rows, test_rows)
            self.place = place
        return self.examples


_last = _LastSplitData()


def predict_test_set(learner: Any, examples: SplitData, trial: Trial, predicting: Stopwatch) -> Predictions:
    """Return what a trained learner says of the test examples; the stopwatch runs while it tells their classes."""
    with predicting:
        predicted = predict(learner, examples)
    probabilities = _probabilities(learner, examples) if trial.needs_probabilities else None
    X_train, y_train, X_test, y_test = examples.X_train, examples.y_train, examples.X_test, examples.y_test
    trained = TrainedModel(learner, X_train, y_train, X_test, y_test, examples.rows, trial.seed, trial.pause)
    return Predictions(y_test, predicted, examples.n_classes, probabilities, trained=trained)


def predict(learner: Any, examples: SplitData) -> Labels:
    """Return the classes predicted for the test examples, as positions in the classes of the data set."""
    predicted = np.asarray(learner.predict(examples.X_test))
    if predicted.shape != examples.y_test.shape or not np.isin(predicted, learner.classes_).all():
        raise InvalidData("the predictions are not one known class for each test example")
    return predicted.astype(np.int64)


def _probabilities(learner: Any, examples: SplitData) -> npt.NDArray[np.float64]:
    """Return probabilities of all classes of the data set; 0 for those the learner has not seen."""
    if not hasattr(learner, "predict_proba"):
        raise InvalidData("it gives no probabilities, which a chosen measure needs")
    known = np.asarray(learner.predict_proba(examples.X_test), dtype=np.float64)
    probabilities = np.zeros((len(examples.y_test), examples.n_classes))
    probabilities[:, np.asarray(learner.classes_, dtype=np.int64)] = known
    if not np.isfinite(probabilities).all():
        raise InvalidData("a predicted probability is not a number")
    return probabilities
