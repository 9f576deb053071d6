"""Differences, and ranks, that are the same everywhere: what that tells where there are few of them."""

import math
from itertools import permutations

import numpy as np
import pytest
from scipy import stats

from ensembles.evaluation.rank_tests import iman_davenport
from ensembles.evaluation.significance import corrected_t_test
from ensembles.evaluation.verdict import on_splits, over_datasets
from ensembles.evaluation.verdict_on_examples import on_examples
from tests.evaluation.test_verdict import RATIO, row_of, standings


@pytest.mark.parametrize(("n_splits", "standing"), [(3, "tied"), (5, "tied"), (6, "worse")])
def test_a_difference_without_spread_is_tested_by_its_sign(n_splits, standing):
    found = on_splits(np.linspace(0.5, 0.7, n_splits)[:, np.newaxis] + [0.0, 0.1], test_train_ratio=RATIO)
    assert standings(found) == {1: "best", 0: standing}
    row = row_of(found, 0)
    assert row.adjusted == stats.binomtest(n_splits, n_splits).pvalue
    assert row.behind == pytest.approx(0.1)
    assert math.isnan(row.low)
    assert row.chances is None
    assert row.to_tell == (None if standing == "worse" else 6)


def test_equal_learners_on_three_small_test_sets_are_seldom_called_worse():
    rng, wrong = np.random.default_rng(0), 0
    for _ in range(200):
        right = rng.random((3, 10, 1)) > 0.2
        own = np.where(rng.random((3, 10, 10)) < 0.3, rng.random((3, 10, 10)) > 0.2, right)
        wrong += "worse" in standings(on_splits(own.mean(axis=1), test_train_ratio=0.5)).values()
    assert wrong <= 16


def test_what_is_the_same_on_every_split_does_not_tell_how_sure_it_is():
    perfect = np.column_stack([np.ones(10), np.linspace(0.8, 0.9, 10)])
    found = on_splits(perfect, test_train_ratio=1 / 9)
    assert math.isnan(found.low)
    assert math.isnan(found.high)
    sizes = np.array([34, 33, 33])
    wrong = np.array([[1, 9], [1, 12], [1, 15]]) / sizes[:, np.newaxis]
    assert math.isnan(on_splits(wrong, test_train_ratio=0.5, lower_is_better=True, n_test=sizes).low)
    assert not math.isnan(on_splits(perfect[:, ::-1] * [1.0, 0.1], test_train_ratio=1 / 9).low)
    right = np.column_stack([np.ones(100), np.arange(100) % 7 > 0])
    for in_order in (False, True):
        assert math.isnan(on_examples(right, in_order=in_order).high)


def test_as_many_examples_on_folds_of_other_sizes_are_no_spread_either():
    sizes = np.array([34, 33, 33])
    wrong = np.array([[10, 15]] * 3) / sizes[:, np.newaxis]
    found = on_splits(wrong, test_train_ratio=0.5, lower_is_better=True, n_test=sizes)
    row = row_of(found, 1)
    assert (row.standing, row.adjusted, row.to_tell, row.chances) == ("tied", 0.25, 6, None)
    assert math.isnan(row.low)
    by_spread = on_splits(wrong, test_train_ratio=0.5, lower_is_better=True)  # measures that are no shares of examples
    assert row_of(by_spread, 1).adjusted < 0.001
    one_more = np.array([[10, 15], [10, 16], [10, 15]]) / sizes[:, np.newaxis]
    told = [on_splits(one_more, test_train_ratio=0.5, lower_is_better=True, n_test=n).rows for n in (sizes, None)]
    assert repr(told[0]) == repr(told[1])
    one_apart = np.array([[1, 1], [1, 1], [2, 1]]) / np.array([35, 35, 36])[:, np.newaxis]
    told = [
        on_splits(one_apart, test_train_ratio=0.5, lower_is_better=True, n_test=n).rows for n in ([35, 35, 36], None)
    ]
    assert repr(told[0]) == repr(told[1])
    said = corrected_t_test(*wrong.T, test_train_ratio=0.5, lower_is_better=True, n_test=sizes)
    assert said.verdict == "equal"
    assert "(mean gain −0.1500 over 3 splits, as many examples on each, p = 0.250;" in said.sentence


def test_an_example_counts_for_more_in_one_fold_by_kappa_and_is_no_spread_either():
    kappas = np.array([[0.940, 0.880], [0.939, 0.878], [0.939, 0.879]])
    row = row_of(on_splits(kappas, test_train_ratio=0.5, n_test=[34, 33, 33], grain=1.0), 1)
    assert (row.standing, row.adjusted) == ("tied", 0.25)
    assert row_of(on_splits(kappas, test_train_ratio=0.5), 1).adjusted < 0.001
    both_sides = kappas - [[0.0, -0.062], [0.0, -0.059], [0.0, -0.058]]
    told = [on_splits(both_sides, test_train_ratio=0.5, n_test=n, grain=1.0).rows for n in ([34, 33, 33], None)]
    assert repr(told[0]) == repr(told[1])


@pytest.mark.parametrize("order", [(1, 2, 3), (1.5, 1.5, 3), (1, 2.5, 2.5, 4)])
@pytest.mark.parametrize("n", [2, 3, 20])
def test_ranks_that_agree_everywhere_are_as_probable_as_they_are(order, n):
    orders = len({*permutations(order)})
    assert iman_davenport(np.tile(order, (n, 1))) == pytest.approx(orders ** (1.0 - n))


def test_two_data_sets_do_not_tell_that_learners_differ():
    assert over_datasets([[0.1, 0.2, 0.3], [0.4, 0.5, 0.6]]).all_alike == pytest.approx(1 / 6)
