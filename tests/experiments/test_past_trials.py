"""Estimates told from trials that ended before: exact where they were alike, wider where not, never less for more."""

import platform
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from ensembles.experiments.config import ExperimentConfig, LearnerSpec
from ensembles.experiments.estimate import Estimate, estimate_seconds
from ensembles.experiments.past_trials import PastCost, PastTrials, cost_name
from tests.experiments.made_up import CROSS_VALIDATION, HOLDOUT, STREAM, Clock, Configure, batch, large, online

PAST = PastTrials("a" * 32, "0" * 64, 4000, 1000, 1, 2, 100, 100, 0.4, 0.1, 1.0, 40, platform.node())


def past_of(config: ExperimentConfig, *, stream: bool = False, **fields: object) -> PastTrials:
    name = cost_name(config.learners[0], stream=stream)
    return replace(PAST, **{"learner": name, "data": config.datasets[0].family, **fields})  # type: ignore[arg-type]


def work(estimate: Estimate, without: Estimate) -> tuple[float, float]:
    """Return what trials add to an estimate of next to none."""
    return estimate.low - without.low, estimate.high - without.high


def test_trials_of_the_same_size_are_told_as_they_were_and_nothing_is_probed(
    configure: Configure, clock: Clock
) -> None:
    config = configure(protocol=HOLDOUT, learners=batch(100))
    told, nothing = (
        estimate_seconds(config, [large()], past=[past_of(config, fit_seconds=fit, predict_seconds=fit / 4)])
        for fit in (8.0, 0.0)
    )
    assert clock.now == 0.0
    low, high = work(told, nothing)
    assert 0.75 * 4 * 10.0 < low < 4 * 10.0 < high < 1.35 * 4 * 10.0
    assert (told.measured, told.past_trials, told.probed) == (True, 40, False)


def test_trials_that_are_taken_over_take_no_time(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT, learners=batch(100))
    past = [past_of(config, fit_seconds=8.0, predict_seconds=2.0)]
    none, three, all_ = (estimate_seconds(config, [large()], past=past, there={(0, 0): n}) for n in (0, 3, 4))
    low, high = work(three, all_)
    assert 0.75 * 10.0 < low < 10.0 < high < 1.35 * 10.0
    assert work(none, all_) == pytest.approx((4 * low, 4 * high))


def test_a_stream_is_not_told_from_splits(configure: Configure, clock: Clock) -> None:
    config = configure(protocol=STREAM, learners=online())
    estimate = estimate_seconds(config, [large()], past=[past_of(config)])
    assert clock.now > 0.0
    assert (estimate.past_trials, estimate.probed) == (0, True)
    told = estimate_seconds(config, [large()], past=[past_of(config, stream=True)])
    assert told.past_trials == 40


def test_other_data_are_a_guess_where_probes_did_not_come_so_far(configure: Configure, clock: Clock) -> None:
    config = configure(protocol=HOLDOUT, learners=batch(100))
    elsewhere = past_of(config, data="elsewhere", fit_seconds=8.0, predict_seconds=2.0)
    guess = estimate_seconds(config, [large()], past=[elsewhere], budget=0.0)
    assert (guess.measured, guess.past_trials) == (False, 40)
    assert guess.low < 4 * 10.0 < guess.high < 5 * 4 * 10.0
    probed = estimate_seconds(config, [large()], past=[elsewhere])
    assert (probed.measured, probed.past_trials, probed.probed) == (True, 0, True)
    assert clock.now > 0.0


def test_trials_of_this_machine_count_where_there_are_any(configure: Configure) -> None:
    config = configure(protocol=HOLDOUT, learners=batch(100))
    here, there = past_of(config), past_of(config, fit_seconds=40.0, host="another machine")
    alone, both, elsewhere = (
        estimate_seconds(config, [large()], past=past, budget=0.0) for past in ([here], [there, here], [there])
    )
    assert both == alone
    assert elsewhere.low > alone.high


def test_the_same_learner_is_known_whatever_its_number_of_members() -> None:
    bagging = {"method": "bagging", "base": "naive_bayes"}
    few, many, others = (
        cost_name(LearnerSpec.model_validate({**bagging, **more}), stream=False)
        for more in ({}, {"n_estimators": 500}, {"vote": "soft"})
    )
    assert few == many != others


@pytest.mark.parametrize("attributes", [None, 7], ids=["the same data", "other data"])
def test_more_examples_or_members_never_take_less_whatever_the_trials_took(attributes: int | None) -> None:
    rng = np.random.default_rng(3)
    for _ in range(30):
        past = [
            replace(
                PAST,
                data=f"{rng.integers(3)}",
                n_train=float(rng.integers(1, 5000)),
                attributes=int(rng.integers(1, 50)),
                members=float(members := rng.integers(1, 200)),
                built=float(rng.integers(1, members + 1)),
                fit_seconds=float(rng.exponential()),
            )
            for _ in range(rng.integers(1, 6))
        ]

        def cost(members: int, past: list[PastTrials] = past) -> PastCost:
            return PastCost(past, members, attributes, attributes and 3)

        for spans in (
            [cost(20).fit(n) for n in (1, 10, 100, 1000, 10**5)],
            [cost(members).fit(500) for members in (1, 2, 5, 50, 400)],
            [cost(20).predict(n, 500) for n in (1, 10, 1000)],
            [cost(20).predict(100, n) for n in (1, 10, 1000)],
        ):
            for smaller, larger in pairwise(spans):
                assert 0 < smaller.low <= smaller.high
                assert smaller.low <= larger.low
                assert smaller.high <= larger.high


def test_more_repeats_orders_and_members_never_take_less(configure: Configure) -> None:
    for name, values in {"repeats": (1, 2, 7, 100), "orders": (1, 2, 30), "members": (1, 9, 100, 101, 1000)}.items():
        told = []
        for value in values:
            changes = {} if name == "members" else {name: value}
            members = value if name == "members" else 50
            config = configure(
                protocol={**CROSS_VALIDATION, **changes}, learners=batch(members), curves=["learning_curve"]
            )
            past = [past_of(config, fit_seconds=fit, n_train=n) for fit, n in ((1.0, 4000), (2.0, 500), (1.1, 3000))]
            told.append(estimate_seconds(config, [large()], past=past, workers=2))
        for smaller, larger in pairwise(told):
            assert smaller.low <= larger.low, name
            assert smaller.high <= larger.high, name


def test_trials_on_both_sides_tell_what_lies_between() -> None:
    cost = PastCost([replace(PAST, n_train=1000, fit_seconds=1.0), replace(PAST, n_train=4000, fit_seconds=16.0)], 100)
    between, beyond = cost.fit(2000), cost.fit(8000)
    assert 1.0 < between.low < 4.0 < between.high < 16.0
    assert 16.0 < beyond.low < 64.0 < beyond.high < 80.0


def test_predicting_takes_its_share_of_each_example() -> None:
    span = PastCost([PAST], 100).predict(5000, 4000)
    assert 0.4 < span.low < 0.5 < span.high < 0.65


def test_a_method_that_stopped_early_may_stop_early_again() -> None:
    span = PastCost([replace(PAST, built=5.0)], 1000).fit(4000)
    assert span.low < 0.4 < span.high < 1.0
