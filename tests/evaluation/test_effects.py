import math

import baycomp
import numpy as np
import pytest
from scipy import stats

from ensembles.evaluation.effects import bayesian_signed_rank, error_reduction, win_tie_loss
from tests.evaluation.demsar import AREAS
from tests.evaluation.test_significance import assert_finite


def test_the_two_averages_of_bauer_and_kohavi():
    found = error_reduction([0.2, 0.1], [0.1, 0.09], names=("MC4", "AdaBoost"))
    assert found.average_relative == pytest.approx(0.30)
    assert found.of_average == pytest.approx(0.3667, abs=5e-5)
    assert found.absolute == pytest.approx(0.055)
    assert found.mean_ratio == pytest.approx(0.70)
    assert found.sentence == (
        "AdaBoost against MC4: the error is 30.0 % lower on average over data sets; the average error is 36.7 % lower."
    )


def test_data_sets_without_an_error_are_counted():
    found = error_reduction([0.0, 0.2, math.nan], [0.1, 0.1, 0.3])
    assert (found.n, found.left_out) == (2, 1)
    assert found.average_relative == pytest.approx(0.5)
    assert found.of_average == pytest.approx(0.0)
    assert "1 without an error" in found.sentence


@pytest.mark.parametrize(("first", "second"), [([], []), ([0.0], [0.1]), ([math.nan], [0.1])])
def test_without_errors_there_is_no_reduction(first, second):
    found = error_reduction(first, second)
    assert found.average_relative is None
    assert_finite(found)


def test_wins_are_counted_at_the_decimals_shown():
    found = win_tie_loss([0.1, 0.2, 0.3, math.nan], [0.2, 0.20001, 0.2, 0.5], names=("A", "B"))
    assert (found.wins, found.ties, found.losses) == (1, 1, 1)
    assert (
        found.sentence == "B against A: better on 1, equal on 1 and worse on 1 of 3 data sets (sign test: p = 1.000)."
    )
    one = win_tie_loss([0.1], [0.2], names=("A", "B"))
    assert one.sentence == "B against A: better on 1, equal on 0 and worse on 0 of 1 data set (sign test: p = 1.000)."
    found = win_tie_loss(AREAS[:, 0], AREAS[:, 1])
    assert (found.wins, found.ties, found.losses) == (10, 2, 2)
    assert found.p_value == pytest.approx(stats.binomtest(10, 12).pvalue)
    assert win_tie_loss([0.1], [0.1]).p_value is None
    assert_finite(win_tie_loss([], []))


@pytest.mark.parametrize(
    ("first", "second", "wins"), [(7.5e-6, 15e-6, 2), (580_712.3, 580_712.4, 0), (1234.56, 1234.57, 0)]
)
def test_data_sets_are_counted_by_the_digits_that_are_shown(first, second, wins):
    """RAM-hours of tiny models were equal wherever four decimals do not tell them apart; bytes differed unseen."""
    assert win_tie_loss([first] * 2, [second] * 2).wins == wins
    assert win_tie_loss([second] * 2, [first] * 2, lower_is_better=True).wins == wins


@pytest.mark.parametrize("rope", [0.0, 0.01, 0.03])
def test_the_bayesian_signed_ranks_are_those_of_baycomp(rope):
    found = bayesian_signed_rank(AREAS[:, 0], AREAS[:, 1], rope=rope)
    expected = baycomp.SignedRankTest(
        AREAS[:, 0].round(6), AREAS[:, 1].round(6), max(rope, 1e-9), nsamples=5000, random_state=1
    ).probs()
    assert (found.worse, found.equivalent, found.better) == pytest.approx(expected, abs=0.02)
    assert found.better + found.equivalent + found.worse == pytest.approx(1.0)
    assert_finite(found)


def test_the_smaller_error_is_the_better_one():
    higher = bayesian_signed_rank(AREAS[:, 0], AREAS[:, 3], rope=0.01)
    lower = bayesian_signed_rank(1 - AREAS[:, 0], 1 - AREAS[:, 3], rope=0.01, lower_is_better=True)
    assert (higher.better, higher.worse) == (lower.better, lower.worse)
    assert higher.better > 0.5 > higher.worse
    assert "most likely practically better than" in higher.sentence


def test_identical_learners_are_equivalent_and_one_data_set_is_too_few():
    values = np.linspace(0.5, 0.9, 8)
    assert bayesian_signed_rank(values, values).equivalent == 1.0
    for found in (bayesian_signed_rank([0.5], [0.6]), bayesian_signed_rank([], [])):
        assert found.better is None
        assert "needs two data sets" in found.sentence
        assert_finite(found)
