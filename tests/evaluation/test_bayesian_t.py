"""Chances on one data set: beside draws from the posterior, beside baycomp, and at extremes."""

import math

import baycomp
import numpy as np
import pytest

from ensembles.errors import InvalidInput
from ensembles.evaluation.bayesian_t import bayesian_correlated_t
from ensembles.evaluation.verdict import on_splits

GAINS = np.random.default_rng(3).normal([0.0, 0.004, 0.02], 0.01, (20, 3))


@pytest.mark.parametrize("rope", [0.0, 0.005, 0.03])
def test_chances_are_those_of_baycomp(rope):
    found = bayesian_correlated_t(GAINS, test_train_ratio=1 / 9, rope=rope)
    for learner, gains in enumerate(GAINS.T):
        first, _, second = baycomp.two_on_single(np.zeros(20), gains, rope=max(rope, 1e-15), runs=2)
        expected = (first, 1 - first - second, second)
        assert [chance[learner] for chance in found] == pytest.approx(expected, abs=1e-9)


def test_chances_are_shares_of_draws_from_the_posterior():
    rng, n = np.random.default_rng(1), 200_000
    scale = GAINS[:, 1].std(ddof=1) * math.sqrt(1 / 20 + 0.25)
    drawn = GAINS[:, 1].mean() + scale * rng.standard_t(19, n)
    expected = (np.mean(drawn < -0.002), np.mean(np.abs(drawn) <= 0.002), np.mean(drawn > 0.002))
    found = bayesian_correlated_t(GAINS[:, 1], test_train_ratio=0.25, rope=0.002)
    assert found == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize("rope", [0.0, 0.01])
@pytest.mark.parametrize(("gain", "expected"), [(0.0, (0, 1, 0)), (0.01, None), (0.02, (0, 0, 1)), (-0.02, (1, 0, 0))])
def test_without_spread_chances_are_certain_and_the_margin_itself_does_not_matter(rope, gain, expected):
    at_margin = (0, 1, 0) if rope else (0, 0, 1)
    found = bayesian_correlated_t(np.full(5, gain), test_train_ratio=0.25, rope=rope)
    assert tuple(found) == (expected or at_margin)


def test_below_two_splits_there_are_none_and_a_margin_is_no_less_than_0():
    missing = np.where(np.arange(20)[:, np.newaxis] < [1, 20, 0], GAINS, np.nan)
    assert np.isnan(bayesian_correlated_t(missing, test_train_ratio=0.1)).any(axis=0).tolist() == [True, False, True]
    with pytest.raises(InvalidInput, match="bayesian_correlated_t: rope must be a finite number >= 0, got -1"):
        bayesian_correlated_t(GAINS, test_train_ratio=0.1, rope=-1)


def test_the_verdict_on_splits_has_the_chances_against_the_best():
    values = np.column_stack([0.9 - GAINS, np.full(20, np.nan)])
    found = on_splits(values, test_train_ratio=1 / 9)
    best = found.rows[0].learner
    for row in found.rows[1:]:
        behind = values[:, best] - values[:, row.learner]
        expected = tuple(map(float, bayesian_correlated_t(behind, test_train_ratio=1 / 9)))
        assert row.chances == (None if row.learner == 3 else pytest.approx(expected))
    assert found.rows[0].chances is None
    assert on_splits(values[:2], test_train_ratio=1 / 9).rows[1].chances is None


def test_of_amounts_a_hundredth_of_the_best_mean_does_not_matter_however_small_or_large_they_are():
    shares = np.column_stack([1.0 + GAINS[:, 0], 1.012 + GAINS[:, 1]])
    expected = on_splits(shares / shares[:, 0].mean(), test_train_ratio=1 / 9, lower_is_better=True).rows[1].chances
    assert 0.5 < expected[2] < 1.0
    for amount in (1e-7, 1.0, 1e7):
        found = on_splits(amount * shares, test_train_ratio=1 / 9, lower_is_better=True, amounts=True)
        assert found.rows[1].chances == pytest.approx(expected, abs=1e-3)
    nothing = on_splits(np.zeros((5, 2)), test_train_ratio=1 / 9, lower_is_better=True, amounts=True)
    assert nothing.rows[1].chances == (0.0, 1.0, 0.0)
