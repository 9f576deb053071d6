"""How long an experiment will take, before it is launched: as a range, told from trials that ended, or from probes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

from ensembles.data.dataset import Dataset
from ensembles.data.source import Source
from ensembles.evaluation.checks import check_whole
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
from ensembles.experiments.cost_model import Span
from ensembles.experiments.kept_costs import read_starts
from ensembles.experiments.past_trials import PastTrials, is_stream
from ensembles.experiments.probes import find_cost, measure_cost
from ensembles.experiments.sampled import sampled
from ensembles.experiments.trial_costs import MEASURED, PastByLearner, TrialCost
from ensembles.experiments.trials import check_given, count_trials

__all__ = ["Estimate", "estimate_seconds", "expected_seconds"]

_BUDGET = 2.0  # seconds for all probes, and as many for what is not compiled yet: a page waits for them
_OF_BOTH_SETS = ("trial_graph", "margins")  # curves for which training and test examples are predicted once more

# As `benchmarks/estimates.py` found them on two processors, in seconds.
_OVERHEAD = Span(0.0005, 0.002)  # a trial besides training and testing: what is told of it, sent and stored
_OVERHEAD_OF_CELL = Span(1e-9, 4e-9)  # its examples are split, shuffled and copied
_START = Span(0.3, 1.2)  # until the runner has seen an experiment and the workers have its data
_START_OF_WORKERS = Span(3.0, 7.0)  # until there are any, where no start was measured on this machine
_START_OF_LEARNER = Span(0.01, 0.2)  # until a worker has its kernels, which are compiled
_COMPILING = Span(0.0, 8.0)  # those of a base model, where nobody knows whether they are
_START_MARGIN = 1.3  # what one start of processes takes more or less than others


@dataclass(frozen=True)
class Estimate:
    """How many trials an experiment has, and how long they may take.

    Attributes
    ----------
    trials : int
    low, high : float
        Seconds from launch to end, at least and at most, with the workers that were told.
    measured : bool
        Whether every learner was timed on every data set, in trials or in a probe; else the range holds a mere guess.
    past_trials : int
        Trials that ended before from which it is told; with `measured`, all of these learners on these data.
    probed : bool
        Whether something is told from probes.
    """

    trials: int
    low: float
    high: float
    measured: bool
    past_trials: int = 0
    probed: bool = False


class _Sizes(NamedTuple):
    train: int
    test: float  # a mean: folds need not be of equal size


def estimate_seconds(
    config: ExperimentConfig,
    datasets: Sequence[Dataset | Source],
    *,
    test_dataset: Dataset | None = None,
    workers: int = 1,
    starts_workers: bool = False,
    past: Sequence[PastTrials] = (),
    there: Mapping[tuple[int, int], int] | None = None,
    budget: float = _BUDGET,
) -> Estimate:
    """Estimate how long an experiment takes on this machine.

    Told from trials of the same learners on the same data that ended before; what has none is timed on samples of its data
    set, once in a day on this machine, whatever its number of members. From the same measurements an estimate never falls
    with repeats, folds, orders, members, examples, data sets or learners.

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
    past : sequence of PastTrials
        As `Storage.find_past_trials` gives them.
    there : mapping of (int, int) to int, optional
        Trials that need not run, as an experiment that is extended has them, by the positions of data set and learner.
    budget : float
        Seconds for all probes. When they are used up, the rest is guessed; the next call goes on from there. Compiling is
        begun as long as it has not taken so many seconds too.
    """
    check_given("estimate_seconds", config, datasets)
    check_whole("estimate_seconds", "workers", workers, 1)
    known = PastByLearner(past, stream=is_stream(config))
    _measure_all(config, datasets, known, budget)
    costs, trials = _all_trials(config, datasets, test_dataset, known)
    work, longest = Span(), Span()
    for (d, m), trial in trials.items():
        alone = config.model_copy(update={"learners": (config.learners[m],), "datasets": config.datasets[d : d + 1]})
        missing = count_trials(alone) - (there or {}).get((d, m), 0)
        work += missing * trial
        if missing:
            longest = Span(max(longest.low, trial.low), max(longest.high, trial.high))
    start = _start(config, costs, starts_workers=starts_workers)
    # Trials go to whoever is free: at worst the longest one comes last, and the others wait for it (Graham 1966).
    low = max(work.low / workers, longest.low)
    high = work.high / workers + longest.high * (1 - 1 / workers)
    evidence = {cost.evidence for cost in costs.values()}
    return Estimate(
        count_trials(config),
        start.low + low,
        start.high + high,
        measured=evidence <= MEASURED,
        past_trials=sum(cost.trials for cost in costs.values()),
        probed=not evidence.isdisjoint(("probe", "other probes")),
    )


def expected_seconds(
    config: ExperimentConfig,
    datasets: Sequence[Dataset | Source],
    *,
    test_dataset: Dataset | None = None,
    past: Sequence[PastTrials] = (),
) -> dict[tuple[int, int], float]:
    """Return what a trial may be expected to take by the positions of data set and learner, where that was measured.

    Parameters
    ----------
    datasets, test_dataset, past
        As `estimate_seconds` takes them. Nothing is probed.
    """
    costs, trials = _all_trials(config, datasets, test_dataset, PastByLearner(past, stream=is_stream(config)))
    return {kind: (trials[kind].low * trials[kind].high) ** 0.5 for kind in costs if costs[kind].evidence in MEASURED}


def _all_trials(
    config: ExperimentConfig, datasets: Sequence[Dataset | Source], test_dataset: Dataset | None, known: PastByLearner
) -> tuple[dict[tuple[int, int], TrialCost], dict[tuple[int, int], Span]]:
    """Return what each learner costs on each data set, and the seconds of a trial."""
    costs, trials = {}, {}
    for d, dataset in enumerate(datasets):
        sizes, sample = _sizes(config, dataset, test_dataset), sampled(dataset)
        overhead = _OVERHEAD + len(sample) * len(sample.attributes) * _OVERHEAD_OF_CELL
        for m, learner in enumerate(config.learners):
            costs[d, m] = TrialCost(config, learner, d, sample, known)
            trials[d, m] = overhead + _trial_seconds(config, learner, costs[d, m], sizes)
    return costs, trials


def _start(config: ExperimentConfig, costs: Mapping[tuple[int, int], TrialCost], *, starts_workers: bool) -> Span:
    """Return the seconds until all workers are at work."""
    guessed = {config.learners[m].base for (_, m), cost in costs.items() if cost.evidence == "guess"}
    start = _START + len(config.learners) * _START_OF_LEARNER + len(guessed) * _COMPILING
    busy = max([1.0, *(cost.busy for cost in costs.values())]) ** 0.5
    start = Span(start.low, start.high * busy)
    if not starts_workers:
        return start
    if took := read_starts():  # by the clock on the wall, on a machine as busy as it is
        return start + Span(min(took) / _START_MARGIN, max(took) * _START_MARGIN)
    return start + _START_OF_WORKERS


def _measure_all(
    config: ExperimentConfig, datasets: Sequence[Dataset | Source], known: PastByLearner, budget: float
) -> None:
    """Time every learner on every data set of which no trials tell, small data sets first, as far as the budget goes."""
    stream, probing, compiling = is_stream(config), budget, budget
    missing = [
        (learner, dataset)
        for dataset, reference in sorted(
            zip(map(sampled, datasets), config.datasets, strict=True), key=lambda pair: len(pair[0])
        )
        for learner in config.learners
        if not known.on(learner, reference) and find_cost(learner, dataset, stream=stream) is None
    ]
    for done, (learner, dataset) in enumerate(missing):
        if probing <= 0 or compiling <= 0:
            return
        compiled, probed = measure_cost(learner, dataset, stream=stream, seconds=probing / (len(missing) - done))
        compiling, probing = compiling - compiled, probing - probed


def _sizes(config: ExperimentConfig, dataset: Dataset | Source, test_dataset: Dataset | None) -> _Sizes:
    """Return the numbers of training and test examples of one trial."""
    protocol = config.protocol
    if isinstance(protocol, Prequential):
        return _Sizes(protocol.n_used(len(dataset) if isinstance(dataset, Dataset) else dataset.n_examples), 0.0)
    n = len(sampled(dataset))
    if isinstance(protocol, CrossValidation):
        return _Sizes(max(n - max(n // protocol.folds, 1), 1), n / protocol.folds)
    if isinstance(protocol, Holdout):
        n_train = protocol.n_train(n)
        return _Sizes(n_train, n - n_train)
    if isinstance(protocol, BiasVariance):
        return _Sizes(max(protocol.n_pool(n) // 2, 1), max(n - protocol.n_pool(n), 1))
    return _Sizes(n, len(test_dataset) if test_dataset else n / 2)


def _trial_seconds(config: ExperimentConfig, learner: LearnerSpec, cost: TrialCost, sizes: _Sizes) -> Span:
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
    return config.protocol.trainings * (fit + predict)


def _stream_seconds(config: ExperimentConfig, learner: LearnerSpec, cost: TrialCost, sizes: _Sizes) -> Span:
    """Return the seconds of a stream; a learner without a pass for both is asked once more for probabilities."""
    told = cost.fit(sizes.train)
    if _asks_probabilities(config) and not hasattr(learner.make(None), "predict_then_learn"):
        return Span(told.low, 2 * told.high)
    return told


def _asks_probabilities(config: ExperimentConfig) -> bool:
    return any(MEASURES[key].needs_probabilities for key in config.measures)
