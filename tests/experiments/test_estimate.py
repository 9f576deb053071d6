"""Estimates: the right size when learners are well behaved, an answer whatever they do, within the budget."""

import time
from collections.abc import Callable

import numpy as np
import pytest

from ensembles.data import Attribute, Dataset, Table
from ensembles.experiments import estimate as module
from ensembles.experiments.config import ExperimentConfig
from ensembles.experiments.estimate import Estimate, estimate_seconds
from ensembles.experiments.trials import count_trials
from tests.experiments import fakes
from tests.experiments.conftest import make_dataset

Configure = Callable[..., ExperimentConfig]

FIT, ASK = 1e-6, 2e-7  # seconds for an example and a member
HOLDOUT = {"kind": "holdout", "repeats": 4, "train_size": 4000}


class Clock:
    """Time that passes only when a learner works, so that estimates can be checked to the digit."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch, fake_learners: None) -> Clock:  # noqa: ARG001
    clock = Clock()
    fit, predict = fakes.NearestMean.fit, fakes.NearestMean.predict

    def slow_fit(self, X, y):  # type: ignore[no-untyped-def]
        clock.now += FIT * len(y) * self.n_estimators
        return fit(self, X, y)

    def slow_predict(self, X):  # type: ignore[no-untyped-def]
        clock.now += ASK * len(X) * self.n_estimators
        return predict(self, X)

    monkeypatch.setattr(fakes.NearestMean, "fit", slow_fit)
    monkeypatch.setattr(fakes.NearestMean, "predict", slow_predict)
    monkeypatch.setattr(time, "perf_counter", clock)
    return clock


def large(n: int = 5000) -> Dataset:
    rng = np.random.default_rng(3)
    labels = rng.integers(2, size=n)
    return Dataset(
        "Large", Table.from_columns([Attribute("a", "numeric")], [labels + rng.random(n)]), labels, ("a", "b")
    )


def expected(calls_of_fit: float, calls_of_predict: float, members: int = 500) -> float:
    return 4 * (0.001 + members * (FIT * 4000 * calls_of_fit + ASK * 1000 * calls_of_predict))


def learner(**settings: int) -> list[dict[str, object]]:
    return [{"method": "nearest_mean", "base": "means", **settings}]


@pytest.mark.usefixtures("clock")
def test_a_learner_that_takes_time_in_proportion_is_estimated_exactly(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT, learners=learner(n_estimators=500))
    estimate = estimate_seconds(config, [large()])
    assert estimate.trials == 4
    assert estimate.seconds == pytest.approx(expected(1, 1), rel=1e-6)


@pytest.mark.usefixtures("clock")
def test_probabilities_count_as_asking_twice(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT, learners=learner(n_estimators=500), measures=["mse"])
    assert estimate_seconds(config, [large()]).seconds == pytest.approx(expected(1, 2), rel=1e-6)


@pytest.mark.usefixtures("clock")
def test_the_curve_of_a_batch_learner_counts_the_training_of_its_prefixes(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT, learners=learner(n_estimators=500), curves=["learning_curve"])
    sizes = [400 * j for j in range(1, 11)] + [200, 100, 50, 25, 12]
    refits = sum(sizes) / 4000
    assert estimate_seconds(config, [large()]).seconds == pytest.approx(expected(refits, len(sizes)), rel=1e-6)


@pytest.mark.usefixtures("clock")
def test_curves_of_votes_ask_about_training_and_test_examples(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT, learners=learner(n_estimators=500), curves=["trial_graph", "margins"])
    asked = 1 + 2 * len(large()) / (len(large()) - 4000)
    assert estimate_seconds(config, [large()]).seconds == pytest.approx(expected(1, asked), rel=1e-6)


def test_probes_stop_when_the_time_can_be_read(configure: Configure, clock: Clock) -> None:
    config = configure(protocol=HOLDOUT, learners=learner(n_estimators=500))
    estimate_seconds(config, [large()])
    assert clock.now < 0.2  # one trial takes 2 s


def test_the_budget_is_kept_and_the_rest_told_from_what_was_measured(configure: Configure, clock: Clock) -> None:
    datasets = [large(4800 + n) for n in range(20)]
    config = configure(n_datasets=20, protocol=HOLDOUT, learners=learner(n_estimators=500))
    estimate = estimate_seconds(config, datasets, budget=0.1)
    assert clock.now < 0.2
    assert estimate.seconds == pytest.approx(20 * expected(1, 0.9), rel=0.05)


@pytest.mark.usefixtures("clock")
def test_without_any_budget_there_is_still_an_answer(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT)
    estimate = estimate_seconds(config, [large()], budget=0.0)
    assert estimate.trials == count_trials(config)
    assert 0 < estimate.seconds < 60


@pytest.mark.parametrize("method", ["hopeless", "out_of_this_world", "without_probabilities"])
def test_learners_that_misbehave_do_not_stop_an_estimate(configure: Configure, method: str) -> None:
    estimate = estimate_seconds(configure(method, "nearest_mean", curves=["learning_curve"]), [make_dataset()])
    assert estimate.trials == 12
    assert 0 < estimate.seconds < 60


def test_a_tiny_data_set_is_no_obstacle(configure: Configure) -> None:
    config = configure(protocol={"kind": "cross_validation", "folds": 3, "repeats": 1})
    assert estimate_seconds(config, [make_dataset(3)]).seconds > 0


@pytest.mark.usefixtures("clock")
def test_a_given_test_set_counts_with_its_size(configure: Configure) -> None:
    protocol = {"kind": "given_split", "test_sha256": "ab" * 32}
    config = configure(protocol=protocol, learners=learner(n_estimators=500))
    seconds = [estimate_seconds(config, [large()], test_dataset=test).seconds for test in (None, large(10_000))]
    assert seconds[1] - seconds[0] == pytest.approx(ASK * 500 * 7500, rel=1e-6)


def test_the_line_of_a_probe_never_falls() -> None:
    assert module._line([(1.0, 5.0), (4.0, 2.0)]) == module._Line(0.0, 0.5)
    assert module._line([(2.0, 4.0)]) == module._Line(0.0, 2.0)
    assert module._line([(1.0, 3.0), (2.0, 9.0), (3.0, 7.0)]) == module._Line(1.0, 2.0)


def test_estimates_are_plain_records() -> None:
    assert Estimate(3, 1.5) == Estimate(trials=3, seconds=1.5)
