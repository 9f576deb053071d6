"""Estimates: a range that holds the truth and never falls, an answer whatever learners do, within the budget."""

import time
from itertools import pairwise
from math import log2
from typing import Any

import numpy as np
import pytest

from ensembles.experiments import estimate as module
from ensembles.experiments import probes, trial_costs
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.cost_model import CostModel, LearnerCost, Sample, Span, fit_costs
from ensembles.experiments.estimate import Estimate, estimate_seconds
from ensembles.experiments.kept_costs import keep_start
from ensembles.experiments.learner_spec import LearnerSpec
from tests.experiments import fakes
from tests.experiments.conftest import make_dataset
from tests.experiments.made_up import (
    ASK,
    CROSS_VALIDATION,
    FIT,
    HOLDOUT,
    STREAM,
    Clock,
    Configure,
    Cost,
    batch,
    large,
    online,
)


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
        for one in (module, trial_costs):
            monkeypatch.setattr(one, "find_cost", lambda *_, known=known, **__: known)
        monkeypatch.setattr(module, "measure_cost", lambda *_, **__: (0.0, 0.0))
        told = [estimate_seconds(config, [large(n)]) for n in (10, 11, 64, 65, 1000, 5000, 5001, 60_000)]
        for smaller, larger in pairwise(told):
            assert smaller.low <= larger.low
            assert smaller.high <= larger.high


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
    for took in (90.0, 10.0, 20.0, 15.0):  # the latest three count
        keep_start(took)
    measured = estimate_seconds(config, [large()], starts_workers=True)
    assert measured.low == pytest.approx(there.low + 10.0 / module._START_MARGIN)
    assert measured.high == pytest.approx(there.high + 20.0 * module._START_MARGIN)


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


def test_samples_on_a_busy_machine_say_nothing_of_growth_where_examples_cost_alike() -> None:
    times = {(64, 2): 0.001, (64, 8): 0.002, (256, 2): 0.012, (256, 8): 0.05, (1024, 2): 0.03, (1024, 8): 0.3}
    samples = tuple(Sample(*size, seconds) for size, seconds in times.items())
    unknown, steady = (LearnerCost(samples, (), 1.0, 24, steady=known).fit.at(400_000, 5) for known in (False, True))
    assert unknown.high > 100 * unknown.low
    assert steady.low < 25.0 < steady.high < 6 * steady.low


@pytest.mark.parametrize(
    ("base", "steady"), [("naive_bayes", True), ("hoeffding_tree", True), ("decision_tree", False)]
)
@pytest.mark.parametrize("stream", [True, False])
def test_only_of_streams_is_it_known_that_examples_cost_alike(
    monkeypatch: Any, base: str, steady: bool, stream: bool
) -> None:
    monkeypatch.setattr(probes, "_twice_if_short", lambda *_: (1.0, 1.0, 1))
    learner = LearnerSpec(method="online_bagging", base=base)
    assert probes._probe(learner, large(), stream, 0.0).steady == (steady and stream)


def test_spans_add_and_multiply() -> None:
    assert 2 * (Span(1.0, 2.0) + Span(0.5, 3.0)) == Span(3.0, 10.0)


def test_estimates_are_plain_records() -> None:
    assert Estimate(3, 1.5, 2.5, True) == Estimate(trials=3, low=1.5, high=2.5, measured=True)
