"""How long an experiment will take, before it is launched: short probes, scaled up."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from ensembles.data.dataset import Dataset
from ensembles.evaluation.curves import curve_sizes, learns_in_pieces
from ensembles.evaluation.measures import MEASURES
from ensembles.evaluation.prequential import predict_then_learn
from ensembles.evaluation.protocols import Purpose, random_stream
from ensembles.evaluation.timing import Stopwatch
from ensembles.experiments.config import (
    BiasVariance,
    CrossValidation,
    ExperimentConfig,
    Holdout,
    LearnerSpec,
    Prequential,
)
from ensembles.experiments.trials import count_trials
from ensembles.experiments.warm_up import warm_up

__all__ = ["Estimate", "estimate_seconds"]

_BUDGET = 2.0  # seconds for all probes: a page waits for them
_ENOUGH = 0.02  # a probe of so many seconds is measured well enough to be scaled up
_FIRST_PROBE = (100, 5)  # examples and members
_GROWTH = 4
_OF_BOTH_SETS = ("trial_graph", "margins")  # curves for which training and test examples are predicted once more
_OVERHEAD = 0.001  # seconds a trial takes besides training and testing


@dataclass(frozen=True)
class Estimate:
    """How many trials an experiment has and about how many seconds they take on one worker."""

    trials: int
    seconds: float


@dataclass(frozen=True)
class _Line:
    """Seconds of one call: `fixed`, and `slope` for each unit of work (example x member x attribute)."""

    fixed: float
    slope: float

    def at(self, work: float) -> float:
        return self.fixed + self.slope * work


@dataclass(frozen=True)
class _Cost:
    """What training and testing cost one learner."""

    fit: _Line
    predict: _Line


_UNKNOWN = _Cost(_Line(0.0, 5e-9), _Line(0.0, 2e-9))  # about that of online boosting of naive Bayes


def estimate_seconds(
    config: ExperimentConfig,
    datasets: Sequence[Dataset],
    *,
    test_dataset: Dataset | None = None,
    budget: float = _BUDGET,
) -> Estimate:
    """Estimate how long an experiment takes on one worker of this machine.

    Every learner is trained on a sample of every data set, larger and larger until it can be timed. When the budget is used
    up, the rest is told from what was measured. Compilation is not part of the estimate, but may delay it.

    Parameters
    ----------
    datasets : sequence of Dataset
        Those of `config.datasets`, in that order.
    test_dataset : Dataset, optional
        The given test set; without it, it counts as half as large as the training set.
    budget : float
        Seconds for all probes.
    """
    costs = _probe_all(config, datasets, test_dataset, time.perf_counter() + budget)
    seconds = 0.0
    for d, dataset in enumerate(datasets):
        sizes = _sizes(config, dataset, test_dataset)
        for position, learner in enumerate(config.learners):
            cost = costs.get((d, position)) or _told_from_others(costs, position)
            alone = config.model_copy(update={"learners": (learner,), "datasets": config.datasets[d : d + 1]})
            seconds += count_trials(alone) * (_OVERHEAD + _trial_seconds(config, learner, dataset, cost, *sizes))
    return Estimate(count_trials(config), seconds)


def _probe_all(
    config: ExperimentConfig, datasets: Sequence[Dataset], test_dataset: Dataset | None, end: float
) -> dict[tuple[int, int], _Cost]:
    """Return what was measured, by positions of data set and learner, until the moment `end`."""
    costs: dict[tuple[int, int], _Cost] = {}
    # Small data sets first: every learner gets its turn before the budget is used up.
    pairs = [
        (d, position)
        for d in sorted(range(len(datasets)), key=lambda d: len(datasets[d]))
        for position in range(len(config.learners))
    ]
    for done, (d, position) in enumerate(pairs):
        left = end - time.perf_counter()
        if left <= 0:
            break
        n_train, _ = _sizes(config, datasets[d], test_dataset)
        try:
            seconds = left / (len(pairs) - done)
            costs[d, position] = _probe(config.learners[position], datasets[d], n_train, seconds, _one_by_one(config))
        except Exception:  # it will fail in its trials too, and say why there
            continue
    return costs


def _one_by_one(config: ExperimentConfig) -> bool:
    return isinstance(config.protocol, Prequential)


def _probe(learner: LearnerSpec, dataset: Dataset, n_train: int, seconds: float, one_by_one: bool) -> _Cost:
    """Time a learner on samples that grow until the time can be read, or for `seconds`."""
    warm_up(learner, dataset)
    end = time.perf_counter() + seconds
    rows = random_stream(Purpose.ORDER, 0, dataset.sha256).permutation(len(dataset))[:n_train]
    n, members = min(_FIRST_PROBE[0], n_train), min(_FIRST_PROBE[1], learner.n_members)
    if one_by_one:  # most of the time goes into calls, so it grows with the examples and little with the members
        members = learner.n_members
    probes = []
    while True:
        X, y = dataset.take(rows[:n])
        untrained = learner.with_members(members).make(0)
        fitting, predicting = Stopwatch(), Stopwatch()
        if one_by_one:
            predict_then_learn(untrained, X, y, len(dataset.classes), stopwatch=fitting, pause=_go_on)
        else:
            with fitting:
                trained = untrained.fit(X, y)
            with predicting:
                trained.predict(X)
        probes.append((_work(n, members, dataset), fitting.seconds, predicting.seconds))
        whole = n == n_train and members == learner.n_members
        if whole or fitting.seconds >= _ENOUGH or time.perf_counter() > end:
            break
        n, members = min(n * _GROWTH, n_train), min(members * _GROWTH, learner.n_members)
    return _Cost(_line((work, fit) for work, fit, _ in probes), _line((work, ask) for work, _, ask in probes))


def _go_on() -> None:
    """Nobody ends a probe."""


def _line(probes: Iterable[tuple[float, float]]) -> _Line:
    """Return the line through the first and the last probe, never falling and never below zero."""
    (first_work, first), *_, (last_work, last) = [*probes] * 2
    if last_work > first_work and last > first:
        slope = (last - first) / (last_work - first_work)
        return _Line(max(first - slope * first_work, 0.0), slope)
    return _Line(0.0, last / last_work)


def _work(n: int, members: int, dataset: Dataset) -> float:
    return float(n * members * len(dataset.attributes))


def _sizes(config: ExperimentConfig, dataset: Dataset, test_dataset: Dataset | None) -> tuple[int, int]:
    """Return the numbers of training and test examples of one trial."""
    n, protocol = len(dataset), config.protocol
    if isinstance(protocol, CrossValidation):
        n_test = max(n // protocol.folds, 1)
        return max(n - n_test, 1), n_test
    if isinstance(protocol, Holdout):
        n_train = protocol.n_train(n)
        return n_train, n - n_train
    if isinstance(protocol, BiasVariance):
        return max(protocol.n_pool(n) // 2, 1), max(n - protocol.n_pool(n), 1)
    if isinstance(protocol, Prequential):
        return n, n
    return n, len(test_dataset) if test_dataset else n // 2


def _trial_seconds(
    config: ExperimentConfig, learner: LearnerSpec, dataset: Dataset, cost: _Cost, n_train: int, n_test: int
) -> float:
    fit = cost.fit.at(_work(n_train, learner.n_members, dataset))
    predict = cost.predict.at(_work(n_test, learner.n_members, dataset))
    calls = 1 + any(MEASURES[key].needs_probabilities for key in config.measures)
    if "learning_curve" in config.curves:
        *sizes, _ = curve_sizes(n_train)
        calls += len(sizes)
        if learns_in_pieces(learner.make(None)):
            fit += cost.fit.fixed * len(sizes)
        else:
            fit += sum(cost.fit.at(_work(size, learner.n_members, dataset)) for size in sizes)
    whole = cost.predict.at(_work(n_train + n_test, learner.n_members, dataset))
    predict = predict * calls + whole * sum(curve in config.curves for curve in _OF_BOTH_SETS)
    trainings = config.protocol.training_sets if isinstance(config.protocol, BiasVariance) else 1
    return trainings * (fit + predict)


def _told_from_others(costs: dict[tuple[int, int], _Cost], position: int) -> _Cost:
    """Return the mean cost of the same learner on other data sets, else that of all learners, else a rough one."""
    own = [cost for (_, learner), cost in costs.items() if learner == position]
    known = own or [*costs.values()] or [_UNKNOWN]

    def mean(values: Iterable[float]) -> float:
        return float(np.mean([*values]))

    return _Cost(
        _Line(mean(cost.fit.fixed for cost in known), mean(cost.fit.slope for cost in known)),
        _Line(mean(cost.predict.fixed for cost in known), mean(cost.predict.slope for cost in known)),
    )
