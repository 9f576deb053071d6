"""How long an experiment will take, before it is launched: as a range, told from short probes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from ensembles.data.dataset import Dataset
from ensembles.evaluation.curves import curve_sizes, learns_in_pieces
from ensembles.evaluation.measures import MEASURES
from ensembles.experiments.config import (
    BiasVariance,
    CrossValidation,
    ExperimentConfig,
    Holdout,
    LearnerSpec,
    Prequential,
)
from ensembles.experiments.cost_model import CostModel, LearnerCost, Span
from ensembles.experiments.probes import find_cost, known_costs, measure_cost
from ensembles.experiments.trials import count_trials

__all__ = ["Estimate", "estimate_seconds"]

_BUDGET = 2.0  # seconds for all probes, and as many for what is not compiled yet: a page waits for them
_OF_BOTH_SETS = ("trial_graph", "margins")  # curves for which training and test examples are predicted once more
_OVERHEAD = Span(0.001, 0.006)  # seconds a trial takes besides training and testing
_START = Span(0.5, 3.0)  # seconds until workers have the data
_START_OF_WORKERS = Span(2.0, 6.0)  # until there are any; two of them took 12 s of computing
_START_OF_LEARNER = Span(0.1, 1.0)  # until a worker has its kernels, which were compiled for the probes
_COMPILING = Span(0.0, 8.0)  # and where the probes did not come so far
_UNKNOWN = Span(2e-9, 2e-7)  # seconds for an example, a member and an attribute: naive Bayes, and trees
_OTHER_DATA = 2.0  # what the same learner may take more or less on another data set of the same size


@dataclass(frozen=True)
class Estimate:
    """How many trials an experiment has, and how long they may take.

    Attributes
    ----------
    trials : int
    low, high : float
        Seconds from launch to end, at least and at most, with the workers that were told.
    measured : bool
        Whether every learner was timed on every data set; else the range holds a mere guess.
    """

    trials: int
    low: float
    high: float
    measured: bool


class _Sizes(NamedTuple):
    train: int
    test: float  # a mean: folds need not be of equal size


def estimate_seconds(
    config: ExperimentConfig,
    datasets: Sequence[Dataset],
    *,
    test_dataset: Dataset | None = None,
    workers: int = 1,
    starts_workers: bool = False,
    budget: float = _BUDGET,
) -> Estimate:
    """Estimate how long an experiment takes on this machine.

    Every learner is timed on samples of every data set, once in a day on this machine, whatever its number of members.
    From the same measurements an estimate never falls with repeats, folds, orders, members, data sets or learners.

    Parameters
    ----------
    datasets : sequence of Dataset
        Those of `config.datasets`, in that order.
    test_dataset : Dataset, optional
        The given test set; without it, it counts as half as large as the training set.
    workers : int
        Trials that run at a time.
    starts_workers : bool
        Whether their processes have to be started first.
    budget : float
        Seconds for all probes. When they are used up, the rest is guessed; the next call goes on from there. Compiling is
        begun as long as it has not taken so many seconds too.
    """
    _measure_all(config, datasets, budget)
    work, longest, is_measured, busy = Span(), Span(), True, 1.0
    for d, dataset in enumerate(datasets):
        sizes = _sizes(config, dataset, test_dataset)
        for learner in config.learners:
            cost = find_cost(learner, dataset, stream=_is_stream(config))
            is_measured &= cost is not None
            busy = max(busy, cost.busy) if cost else busy
            trial = _OVERHEAD + _trial_seconds(config, learner, _Cost(config, learner, dataset, cost), sizes)
            alone = config.model_copy(update={"learners": (learner,), "datasets": config.datasets[d : d + 1]})
            work += count_trials(alone) * trial
            longest = Span(max(longest.low, trial.low), max(longest.high, trial.high))
    start = _START + len(config.learners) * (_START_OF_LEARNER + (Span() if is_measured else _COMPILING))
    start += _START_OF_WORKERS if starts_workers else Span()
    start = Span(start.low * busy**0.5, start.high * busy)
    # Trials go to whoever is free: at worst the longest one comes last, and the others wait for it (Graham 1966).
    low = max(work.low / workers, longest.low)
    high = work.high / workers + longest.high * (1 - 1 / workers)
    return Estimate(count_trials(config), start.low + low, start.high + high, is_measured)


def _measure_all(config: ExperimentConfig, datasets: Sequence[Dataset], budget: float) -> None:
    """Time every learner on every data set, small data sets first, as far as the budget goes."""
    stream, probing, compiling = _is_stream(config), budget, budget
    missing = [
        (learner, dataset)
        for dataset in sorted(datasets, key=len)
        for learner in config.learners
        if find_cost(learner, dataset, stream=stream) is None
    ]
    for done, (learner, dataset) in enumerate(missing):
        if probing <= 0 or compiling <= 0:
            return
        compiled, probed = measure_cost(learner, dataset, stream=stream, seconds=probing / (len(missing) - done))
        compiling, probing = compiling - compiled, probing - probed


def _is_stream(config: ExperimentConfig) -> bool:
    return isinstance(config.protocol, Prequential)


class _Cost:
    """What one learner costs on one data set: as it was measured, else as on other data sets, else a guess."""

    def __init__(
        self, config: ExperimentConfig, learner: LearnerSpec, dataset: Dataset, measured: LearnerCost | None
    ) -> None:
        self._members, self._attributes = learner.n_members, max(len(dataset.attributes), 1)
        self._own = measured
        self._others = [] if measured else known_costs(learner, stream=_is_stream(config))

    def fit(self, examples: float) -> Span:
        """Return the seconds of training, or of a stream."""
        return self._span("fit", examples, examples)

    def predict(self, examples: float, trained_on: float) -> Span:
        """Return the seconds of predicting."""
        return self._span("predict", examples, trained_on)

    def call(self) -> Span:
        """Return the seconds of learning nothing more."""
        return self._span("fit", 0.0, 1.0) if self._own or self._others else Span()

    def _span(self, what: str, examples: float, trained_on: float) -> Span:
        if self._own:
            return self._told(self._own, what, examples, trained_on)
        spans = [self._scaled(other, what, examples, trained_on) for other in self._others]
        if not spans:
            return examples * self._members * self._attributes * _UNKNOWN
        return Span(min(span.low for span in spans), max(span.high for span in spans))

    def _scaled(self, cost: LearnerCost, what: str, examples: float, trained_on: float) -> Span:
        wider = self._attributes / cost.attributes
        span = self._told(cost, what, examples, trained_on)
        return Span(span.low * min(wider, 1.0) / _OTHER_DATA, span.high * max(wider, 1.0) * _OTHER_DATA)

    def _told(self, cost: LearnerCost, what: str, examples: float, trained_on: float) -> Span:
        model: CostModel | None = getattr(cost, what)
        if model is None:
            return Span()
        built = max(self._members * cost.built, 1.0)  # it may stop early again
        low = model.at(examples, built, trained_on).low
        high = model.at(examples, self._members, trained_on).high
        return Span(low * cost.busy**0.5, high * cost.busy)  # others may have gone by then


def _sizes(config: ExperimentConfig, dataset: Dataset, test_dataset: Dataset | None) -> _Sizes:
    """Return the numbers of training and test examples of one trial."""
    n, protocol = len(dataset), config.protocol
    if isinstance(protocol, CrossValidation):
        return _Sizes(max(n - max(n // protocol.folds, 1), 1), n / protocol.folds)
    if isinstance(protocol, Holdout):
        n_train = protocol.n_train(n)
        return _Sizes(n_train, n - n_train)
    if isinstance(protocol, BiasVariance):
        return _Sizes(max(protocol.n_pool(n) // 2, 1), max(n - protocol.n_pool(n), 1))
    if isinstance(protocol, Prequential):
        return _Sizes(n, 0.0)
    return _Sizes(n, len(test_dataset) if test_dataset else n / 2)


def _trial_seconds(config: ExperimentConfig, learner: LearnerSpec, cost: _Cost, sizes: _Sizes) -> Span:
    if isinstance(config.protocol, Prequential):
        return _stream_seconds(config, learner, cost, sizes)
    fit, calls = cost.fit(sizes.train), 1 + _asks_probabilities(config)
    if "learning_curve" in config.curves:
        *smaller, _ = curve_sizes(sizes.train)
        calls += len(smaller)
        again = learns_in_pieces(learner.make(None))
        fit = reduce(Span.__add__, (cost.call() if again else cost.fit(size) for size in smaller), fit)
    predict = calls * cost.predict(sizes.test, sizes.train)
    of_both = sum(curve in config.curves for curve in _OF_BOTH_SETS)
    predict += of_both * cost.predict(sizes.train + sizes.test, sizes.train)
    trainings = config.protocol.training_sets if isinstance(config.protocol, BiasVariance) else 1
    return trainings * (fit + predict)


def _stream_seconds(config: ExperimentConfig, learner: LearnerSpec, cost: _Cost, sizes: _Sizes) -> Span:
    """Return the seconds of a stream; a learner without a pass for both is asked once more for probabilities."""
    told = cost.fit(sizes.train)
    if _asks_probabilities(config) and not hasattr(learner.make(None), "predict_then_learn"):
        return Span(told.low, 2 * told.high)
    return told


def _asks_probabilities(config: ExperimentConfig) -> bool:
    return any(MEASURES[key].needs_probabilities for key in config.measures)
