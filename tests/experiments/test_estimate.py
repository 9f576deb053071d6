"""Estimates: a range that holds the truth and never falls, an answer whatever learners do, within the budget."""

import os
import time
from collections.abc import Callable
from itertools import pairwise
from math import log2
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ensembles.data import Attribute, Dataset, Table
from ensembles.experiments import estimate as module
from ensembles.experiments import kept_costs, probes
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.cost_model import CostModel, Sample, Span, fit_costs
from ensembles.experiments.estimate import Estimate, estimate_seconds
from ensembles.experiments.trials import count_trials
from ensembles.folders import data_folder
from tests.experiments import fakes
from tests.experiments.conftest import make_dataset

Configure = Callable[..., ExperimentConfig]
Cost = Callable[[int, int], float]

FIT, ASK = 1e-6, 2e-7  # seconds for an example and a member
HOLDOUT = {"kind": "holdout", "repeats": 4, "train_size": 4000}
CROSS_VALIDATION = {"kind": "cross_validation", "repeats": 10, "folds": 5, "orders": 5}
STREAM = {"kind": "prequential", "orders": 3}


class Clock:
    """Time that passes only when a learner works, as `fit` and `ask` say."""

    def __init__(self) -> None:
        self.now = 0.0
        self.fit: Cost = lambda n, members: FIT * n * members
        self.ask: Cost = lambda n, members: ASK * n * members

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, fake_learners: None) -> Clock:  # noqa: ARG001
    clock = Clock()
    fit, predict, learn = fakes.NearestMean.fit, fakes.NearestMean.predict, fakes.DriftingMean.partial_fit

    def slow_fit(self: Any, X: Any, y: Any) -> Any:
        clock.now += clock.fit(len(y), self.n_estimators)
        return fit(self, X, y)

    def slow_predict(self: Any, X: Any) -> Any:
        clock.now += clock.ask(len(X), self.n_estimators)
        return predict(self, X)

    def slow_learn(self: Any, X: Any, y: Any, classes: Any = None) -> Any:
        clock.now += clock.fit(len(y), self.n_estimators)
        return learn(self, X, y, classes)

    monkeypatch.setattr(fakes.NearestMean, "fit", slow_fit)
    monkeypatch.setattr(fakes.NearestMean, "predict", slow_predict)
    monkeypatch.setattr(fakes.DriftingMean, "partial_fit", slow_learn)
    monkeypatch.setattr(time, "perf_counter", clock)
    monkeypatch.setattr(probes, "_clock", clock)
    return clock


@pytest.fixture(autouse=True)
def _nothing_measured() -> None:
    probes.forget_costs()


def large(n: int = 5000, seed: int = 3) -> Dataset:
    rng = np.random.default_rng(seed)
    labels = rng.integers(2, size=n)
    return Dataset(
        "Large", Table.from_columns([Attribute("a", "numeric")], [labels + rng.random(n)]), labels, ("a", "b")
    )


def batch(members: int = 500, **settings: int) -> list[dict[str, object]]:
    return [{"method": "nearest_mean", "base": "means", "n_estimators": members, **settings}]


def online(members: int = 500) -> list[dict[str, object]]:
    return [{"method": "drifting_mean", "base": "means", "n_estimators": members}]


def holds(estimate: Estimate, seconds: float, *, width: float = 8.0, trials: int = 4) -> None:
    """Check that the range has `seconds` in it, and is not so wide that it says nothing."""
    assert estimate.low <= seconds + module._START.high
    assert estimate.high >= seconds
    work = estimate.high - module._START.high - module._START_OF_LEARNER.high - trials * module._OVERHEAD.high
    assert work <= width * seconds


GROWTH: dict[str, Cost] = {
    "in proportion": lambda n, m: FIT * n * m,
    "like sorting": lambda n, m: FIT * n * log2(n) * m,
    "like the square": lambda n, m: FIT * n * n * m / 500,
    "whatever the size": lambda n, m: 0.05 + 0 * n * m,
    "by members alone": lambda n, m: 0.001 * m + 0 * n,
    "by calls and examples": lambda n, m: 0.003 + 1e-5 * n + FIT * n * m,
}


@pytest.mark.parametrize("growth", GROWTH)
def test_the_range_holds_the_truth(configure: Configure, clock: Clock, growth: str) -> None:
    clock.fit = GROWTH[growth]
    estimate = estimate_seconds(configure(protocol=HOLDOUT, learners=batch()), [large()])
    assert estimate.measured
    assert estimate.trials == 4
    holds(estimate, 4 * (clock.fit(4000, 500) + clock.ask(1000, 500)))


def test_the_range_of_a_stream_holds_the_truth(configure: Configure, clock: Clock) -> None:
    estimate = estimate_seconds(configure(protocol=STREAM, learners=online()), [large()])
    holds(estimate, 3 * 5000 * (clock.fit(1, 500) + clock.ask(1, 500)), trials=3)


def test_noise_in_the_probes_does_not_leave_the_range(configure: Configure, clock: Clock) -> None:
    rng = np.random.default_rng(1)
    clock.fit = lambda n, m: FIT * n * m * rng.uniform(0.7, 1.4)
    for seed in range(20):
        probes.forget_costs()
        estimate = estimate_seconds(configure(protocol=HOLDOUT, learners=batch()), [large(seed=seed)])
        holds(estimate, 4 * (FIT * 4000 + ASK * 1000) * 500)


def test_a_first_call_that_compiles_is_not_taken_for_the_cost_of_the_rest(configure: Configure, clock: Clock) -> None:
    """The 21 days: the first probe of a stream held a compilation of seconds, and was scaled up."""
    learn, met = clock.fit, set()

    def compiles(n: int, members: int) -> float:
        first = n == 1 and not met
        met.update([n] if first else [])
        return learn(n, members) + 30.0 * first

    clock.fit = compiles
    estimate = estimate_seconds(configure(protocol=STREAM, learners=online(100)), [large(20_000)])
    assert estimate.high < 60


def more(configure: Configure) -> dict[str, list[ExperimentConfig]]:
    """Return experiments of which each is more than the one before, by what it is more of."""
    two = [{"method": "nearest_mean", "base": "means"}, {"method": "drifting_mean", "base": "means"}]

    def split(**changes: object) -> ExperimentConfig:
        return configure(protocol={**CROSS_VALIDATION, **changes}, curves=["learning_curve"])

    return {
        "repeats": [split(repeats=n) for n in (1, 2, 3, 10, 1000)],
        "folds": [split(folds=n) for n in (2, 3, 4, 5, 7, 10, 50, 100, 4999)],
        "orders": [split(orders=n) for n in (1, 2, 3, 5, 6, 100)],
        "orders of a stream": [
            configure(protocol={"kind": "prequential", "orders": n}, learners=online()) for n in (1, 2, 3, 5, 6, 100)
        ],
        "members": [configure(protocol=HOLDOUT, learners=batch(n)) for n in (1, 2, 3, 5, 8, 10, 100, 1000)],
        "members of a stream": [configure(protocol=STREAM, learners=online(n)) for n in (1, 2, 5, 10, 100, 1000)],
        "training sets": [configure(protocol={"kind": "bias_variance", "training_sets": n}) for n in (2, 3, 10, 500)],
        "learners": [configure(learners=two[:n]) for n in (1, 2)],
        "measures": [configure(measures=measures) for measures in (["accuracy"], ["accuracy", "mse"])],
        "curves": [configure(curves=curves) for curves in ([], ["margins"], ["margins", "learning_curve"])],
    }


@pytest.mark.parametrize("budget", [2.0, 0.0], ids=["measured", "guessed"])
def test_more_never_takes_less(configure: Configure, clock: Clock, budget: float) -> None:
    rng = np.random.default_rng(2)
    clock.fit = lambda n, m: FIT * n * m * rng.uniform(0.2, 5.0)  # whatever the probes say
    clock.ask = lambda n, m: ASK * n * m * rng.uniform(0.2, 5.0)
    dataset = large()
    for name, configs in more(configure).items():
        # In any order: what is measured for the one serves the others.
        told = {
            i: estimate_seconds(configs[i], [dataset], budget=budget) for i in rng.permutation(len(configs)).tolist()
        }
        for smaller, larger in pairwise(told[i] for i in range(len(configs))):
            assert 0 < smaller.low <= larger.low * (1 + 1e-9), name
            assert smaller.high <= larger.high * (1 + 1e-9), name
            assert smaller.low <= smaller.high


def test_more_data_sets_never_take_less(configure: Configure, clock: Clock) -> None:
    rng = np.random.default_rng(2)
    clock.fit = lambda n, m: FIT * n * m * rng.uniform(0.2, 5.0)
    datasets = [large(300 + 200 * i, seed=i) for i in range(4)]
    told = [estimate_seconds(configure(n_datasets=n), datasets[:n]) for n in range(1, 5)]
    for smaller, larger in pairwise(told):
        assert smaller.low <= larger.low
        assert smaller.high <= larger.high


def test_more_examples_never_take_less(configure: Configure, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(2)
    clock.fit = lambda n, m: FIT * n * m * rng.uniform(0.2, 5.0)
    config = configure(protocol=CROSS_VALIDATION, learners=batch(), curves=["learning_curve"])
    estimate_seconds(config, [large()])
    cost = probes.find_cost(config.learners[0], large(), stream=False)
    for known in (cost, None):
        monkeypatch.setattr(module, "find_cost", lambda *_, known=known, **__: known)
        monkeypatch.setattr(module, "measure_cost", lambda *_, **__: (0.0, 0.0))
        told = [estimate_seconds(config, [large(n)]) for n in (10, 11, 64, 65, 1000, 5000, 5001, 60_000)]
        for smaller, larger in pairwise(told):
            assert smaller.low <= larger.low
            assert smaller.high <= larger.high


def test_nothing_is_measured_twice(configure: Configure, clock: Clock) -> None:
    estimate_seconds(configure(protocol=STREAM, learners=online(10)), [large()])
    passed = clock.now
    estimate_seconds(configure(protocol={**STREAM, "orders": 50}, learners=online(100)), [large()])
    assert clock.now == passed


@pytest.mark.usefixtures("clock")
def test_workers_share_the_work_and_the_longest_trial_stays_whole(configure: Configure) -> None:
    config = configure(protocol={**HOLDOUT, "repeats": 8}, learners=batch())
    one, four, many = (estimate_seconds(config, [large()], workers=n) for n in (1, 4, 1000))
    assert one.high > four.high > many.high
    assert one.low > four.low > many.low
    start = module._START.high + module._START_OF_LEARNER.high
    assert many.high - start >= (one.high - start) / 8


@pytest.mark.usefixtures("clock")
def test_workers_that_have_to_start_take_time(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT, learners=batch())
    there, started = (estimate_seconds(config, [large()], starts_workers=starts) for starts in (False, True))
    assert started.low == pytest.approx(there.low + module._START_OF_WORKERS.low)
    assert started.high == pytest.approx(there.high + module._START_OF_WORKERS.high)


def test_probes_stop_when_the_budget_is_used_up(configure: Configure, clock: Clock) -> None:
    clock.fit = lambda n, m: 1e-3 * n * m
    estimate = estimate_seconds(configure(protocol=HOLDOUT, learners=batch()), [large()])
    assert clock.now < 5.0  # one trial takes 2000 s
    assert estimate.low < 4 * clock.fit(4000, 500) < estimate.high


def test_a_large_data_set_does_not_lengthen_the_probes(configure: Configure, clock: Clock) -> None:
    estimate_seconds(configure(protocol=STREAM, learners=online()), [large(50_000)])
    assert clock.now < 3.0


def test_what_the_budget_leaves_out_is_told_from_what_was_measured_and_called_a_guess(
    configure: Configure, clock: Clock
) -> None:
    clock.fit = lambda n, m: 1e-4 * n * m
    datasets = [large(4500 + n) for n in range(5)]
    config = configure(n_datasets=5, protocol=HOLDOUT, learners=batch())
    estimate = estimate_seconds(config, datasets, budget=0.05)
    truth = 5 * 4 * clock.fit(4000, 500)
    assert not estimate.measured
    assert estimate.low < truth < estimate.high < 100 * truth
    while not estimate.measured:  # the next call goes on
        estimate = estimate_seconds(config, datasets, budget=0.05)
    assert estimate.low < truth < estimate.high


@pytest.mark.usefixtures("clock")
def test_without_any_budget_there_is_still_an_answer_that_is_a_guess(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT)
    estimate = estimate_seconds(config, [large()], budget=0.0)
    assert estimate.trials == count_trials(config)
    assert not estimate.measured
    assert 0 < estimate.low < estimate.high < 60


@pytest.mark.parametrize("method", ["hopeless", "out_of_this_world", "without_probabilities"])
def test_learners_that_misbehave_do_not_stop_an_estimate(
    configure: Configure, method: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probes, "_MOST_BUSY", 1.0)  # whatever else the machine does
    estimate = estimate_seconds(configure(method, "nearest_mean", curves=["learning_curve"]), [make_dataset()])
    assert estimate.trials == 12
    assert 0 < estimate.low <= estimate.high < 60


def test_a_tiny_data_set_is_no_obstacle(configure: Configure) -> None:
    config = configure(protocol={"kind": "cross_validation", "folds": 3, "repeats": 1})
    assert estimate_seconds(config, [make_dataset(3)]).high > 0


def test_one_trial_is_estimated_too(configure: Configure) -> None:
    config = configure("nearest_mean", protocol={"kind": "holdout", "repeats": 1})
    estimate = estimate_seconds(config, [make_dataset()], workers=8)
    assert estimate.trials == 1
    assert 0 < estimate.low <= estimate.high


@pytest.mark.usefixtures("clock")
def test_a_given_test_set_counts_with_its_size(configure: Configure) -> None:
    protocol = {"kind": "given_split", "test_sha256": "ab" * 32}
    config = configure(protocol=protocol, learners=batch())
    small, wide = (estimate_seconds(config, [large()], test_dataset=test) for test in (None, large(100_000)))
    assert wide.low - small.low > 0.3 * ASK * 500 * 97_500
    assert wide.high - small.high > ASK * 500 * 97_500


def test_another_process_is_told_from_the_same_measurements(
    configure: Configure, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock.fit = lambda n, m: FIT * n * m * (1 + clock.now)  # measured again, all would be slower
    first = estimate_seconds(configure(protocol=STREAM, learners=online()), [large()])
    passed = clock.now
    monkeypatch.setattr(probes, "_costs", {})
    assert estimate_seconds(configure(protocol=STREAM, learners=online()), [large()]) == first
    assert clock.now == passed


@pytest.mark.parametrize("change", ["a day later", "another version", "a broken file"])
def test_measurements_on_disk_are_not_trusted_for_ever(
    configure: Configure, clock: Clock, monkeypatch: pytest.MonkeyPatch, change: str
) -> None:
    estimate_seconds(configure(protocol=STREAM, learners=online()), [large()])
    (kept,) = (data_folder() / "probes").iterdir()
    passed = clock.now
    monkeypatch.setattr(probes, "_costs", {})
    if change == "a day later":
        os.utime(kept, (0, time.time() - 86_401))
    elif change == "another version":
        monkeypatch.setattr(kept_costs, "source_digest", lambda: "another")
    else:
        kept.write_bytes(b"{")
    estimate_seconds(configure(protocol=STREAM, learners=online()), [large()])
    assert clock.now > passed
    monkeypatch.setattr(probes, "_costs", {})
    passed = clock.now
    estimate_seconds(configure(protocol=STREAM, learners=online()), [large()])
    assert clock.now == passed


def test_a_disk_that_keeps_nothing_costs_no_estimate(
    configure: Configure, clock: Clock, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ENSEMBLE_LAB_HOME", str(tmp_path / "file" / "home"))
    assert estimate_seconds(configure(protocol=STREAM, learners=online()), [large()]).measured
    assert clock.now > 0


def test_a_learner_that_stops_early_may_stop_early_again(configure: Configure, clock: Clock, monkeypatch: Any) -> None:
    fit = fakes.NearestMean.fit

    def stopping_fit(self: Any, X: Any, y: Any) -> Any:
        clock.now -= clock.fit(len(y), self.n_estimators - 1)
        trained = fit(self, X, y)
        trained.n_members_ = 1
        return trained

    monkeypatch.setattr(fakes.NearestMean, "fit", stopping_fit)
    estimate = estimate_seconds(configure(protocol=HOLDOUT, learners=batch(100)), [large()])
    assert estimate.low - module._START.low - module._START_OF_LEARNER.low < 4 * FIT * 4000 * 20
    assert estimate.high > 4 * FIT * 4000 * 100


def test_a_busy_machine_widens_the_range(configure: Configure, clock: Clock, monkeypatch: Any) -> None:
    config, dataset = configure(protocol=HOLDOUT, learners=batch()), large()
    alone = estimate_seconds(config, [dataset])
    probes.forget_costs()
    monkeypatch.setattr(time, "perf_counter", lambda: 3 * clock.now)
    shared = estimate_seconds(config, [dataset])
    truth = 4 * (FIT * 4000 + ASK * 1000) * 500
    assert shared.high > 2 * alone.high
    assert shared.low < 3 * truth < shared.high


@pytest.mark.parametrize(
    "samples",
    [
        [Sample(64, 2, 5.0), Sample(256, 2, 2.0)],
        [Sample(64, 1, 0.0)],
        [Sample(64, 2, 0.3), Sample(64, 8, 0.1), Sample(256, 2, 0.2), Sample(256, 8, 0.9)],
        [Sample(3, 1, 1e-12), Sample(4, 1, 50.0)],
    ],
    ids=["falling", "no time", "out of order", "a jump"],
)
def test_no_samples_whatever_make_a_cost_that_falls(samples: list[Sample]) -> None:
    model: CostModel = fit_costs(samples)
    for spans in (
        [model.at(n, 10) for n in (1, 10, 64, 100, 5000, 10**6)],
        [model.at(1000, m) for m in (1, 2, 10, 1000)],
        [model.at(100, 10, trained_on) for trained_on in (1, 10, 1000, 10**6)],
        [model.standing(m) for m in (1, 2, 1000)],
    ):
        assert all(0 <= span.low <= span.high for span in spans)
        for smaller, larger in pairwise(spans):
            assert smaller.low <= larger.low
            assert smaller.high <= larger.high


def test_spans_add_and_multiply() -> None:
    assert 2 * (Span(1.0, 2.0) + Span(0.5, 3.0)) == Span(3.0, 10.0)


def test_estimates_are_plain_records() -> None:
    assert Estimate(3, 1.5, 2.5, True) == Estimate(trials=3, low=1.5, high=2.5, measured=True)
