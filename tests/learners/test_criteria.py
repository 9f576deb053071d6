"""Criteria of tests against plain definitions: fractions, SciPy, and one another."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import entropy

from ensembles.learners.core.criteria import (
    TIE,
    bits_of_leaf,
    bits_of_test,
    exceeds,
    gain_ratio,
    impurity,
    impurity_term,
    is_cut_worth_it,
    ks_of,
    undercuts,
    weighted_entropy,
    weighted_entropy_between,
    weighted_entropy_of_row,
    xlogx,
    xlogx_from,
)
from ensembles.learners.lossless_tree import scores
from ensembles.learners.lossless_tree.scores import KS, rate_test
from ensembles.learners.pruned_tree.scores import N_SCRATCH, distance_of

NO_TABLE = np.empty(0)
LOGS = np.array([xlogx(float(w)) for w in range(200)])


def drawn_weights(seed, n_classes=None):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 12, n_classes or rng.integers(1, 7)).astype(float)


@pytest.mark.parametrize("seed", range(20))
def test_entropy_is_that_of_scipy_times_the_weight_however_weights_are_given(seed):
    weights = drawn_weights(seed)
    total = weights.sum()
    expected = total * entropy(weights, base=2) if total else 0.0
    below = np.vstack([np.ones(len(weights)), np.ones(len(weights)) + weights])
    assert weighted_entropy(weights) == pytest.approx(expected, abs=1e-10)
    assert weighted_entropy_between(below, 0, 1) == weighted_entropy(weights)
    for logs in (NO_TABLE, LOGS):
        assert weighted_entropy_of_row(1, np.vstack([weights + 1, weights]), logs) == weighted_entropy(weights)
    assert impurity(total, sum(impurity_term(w, False) for w in weights), False) == weighted_entropy(weights)


@pytest.mark.parametrize("seed", range(10))
def test_the_gini_index_is_the_chance_of_two_classes(seed):
    weights = drawn_weights(seed)
    total = weights.sum()
    expected = total - sum(w * w for w in weights) / total if total else 0.0
    assert impurity(total, sum(impurity_term(w, True) for w in weights), True) == pytest.approx(expected)
    assert impurity(4.0, impurity_term(2.0, True) * 2, True) / 4 == 0.5


def test_a_ratio_to_nothing_is_nothing():
    assert gain_ratio(0.5, 2.0, 1.0) == 0.25
    assert gain_ratio(5.0, 20.0, 10.0) == 0.25
    assert gain_ratio(0.5, 1e-13, 1.0) == 0.0
    assert gain_ratio(0.5, 1e-13, 0.01) > 0.0


def naive_distance(side, whole):
    """Return how far the groups are apart that the largest gap between exact shares parts; None where two are as large."""
    shares = sorted(((Fraction(s, w), s, w) for s, w in zip(side, whole, strict=True) if w), reverse=True)
    if len(shares) < 2:
        return Fraction(0)
    gaps = [before[0] - after[0] for before, after in itertools.pairwise(shares)]
    if gaps.count(max(gaps)) > 1:
        return None  # equal gaps may differ by rounding
    place = gaps.index(max(gaps)) + 1
    upper, lower = shares[:place], shares[place:]
    return abs(
        Fraction(sum(s for _, s, _ in upper), sum(w for *_, w in upper))
        - Fraction(sum(s for _, s, _ in lower), sum(w for *_, w in lower))
    )


@pytest.mark.parametrize("seed", range(200))
def test_the_distance_of_kolmogorov_and_smirnov_is_one_for_all_learners(seed):
    n_classes = 2 + seed % 5
    low, high = drawn_weights(seed, n_classes), drawn_weights(1000 + seed, n_classes)
    whole = [int(w) for w in low + high]
    expected = [naive_distance([int(w) for w in side], whole) for side in (low, high)]
    if None in expected:
        return
    assert ks_of(low, high, np.empty((4, n_classes)), 1) == pytest.approx(float(sum(expected)), abs=1e-12)
    table, counted, scratch = np.vstack([low, high]), (low + high)[None], np.empty((N_SCRATCH, n_classes))
    for row in (0, 1):
        assert distance_of(row, table, counted, 0, scratch) == pytest.approx(float(expected[row]), abs=1e-12)
    present = np.flatnonzero(low + high)
    if len(present) < 2:
        return
    work = np.empty((5, n_classes))
    work[0, : len(present)], work[1, : len(present)] = low[present], (low + high)[present]
    rated = rate_test(work, len(present), low.sum(), (low + high).sum(), KS)
    assert rated == pytest.approx(float(sum(expected)), abs=1e-12)


def test_among_equal_gaps_the_last_parts_the_classes_by_either_side():
    low, high = np.array([4.0, 1.0, 0.0]), np.array([0.0, 1.0, 8.0])  # shares 1, 1/2 and 0
    assert ks_of(low, high, np.empty((3, 3)), 0) == pytest.approx(5 / 6 + abs(9 / 10 - 0))


def test_what_is_as_good_is_not_better():
    for best in (0.0, 0.5, 1.0, 1e6):
        step = TIE * max(1.0, best)
        assert not exceeds(best + 0.5 * step, best, True)
        assert exceeds(best + 3 * step, best, True)
        assert not undercuts(best - 0.5 * step, best)
        assert undercuts(best - 3 * step, best)
    assert exceeds(8.0 + 4e-12, 8.0, False), "in bits, whatever the best is worth"
    assert not exceeds(8.0 + 4e-12, 8.0, True)


@pytest.mark.parametrize(
    ("weights", "bits"), [((10, 0), 1), ((8, 2), 8.643856), ((5, 5), 18.609640), ((6, 3, 1), 19.872675)]
)
def test_a_leaf_is_described_by_its_majority_and_its_exceptions(weights, bits):
    assert bits_of_leaf(np.array([weights], dtype=float), 0) == pytest.approx(bits, abs=1e-6)


def test_one_of_eight_tests_is_named_by_three_bits_and_one_that_there_is_a_test():
    assert [bits_of_test(n) for n in (0, 1, 8)] == [1.0, 1.0, 4.0]


def test_bits_are_the_same_to_the_last_where_logarithms_are_looked_up():
    lgs = np.array([math.log2(max(w, 1)) for w in range(20)])
    for seed in range(50):
        weights = drawn_weights(seed)[None]
        for some in (weights, weights / 8, 10 * weights):  # in the table, between its numbers, beyond them
            assert scores.bits_of_leaf(some, 0, lgs) == bits_of_leaf(some, 0)
            assert scores.bits_of_test(some.sum(), lgs) == bits_of_test(some.sum())


@pytest.mark.parametrize("n", [1, 2, 3, 4, 6, 10])
def test_a_cut_between_two_pure_sides_pays_from_a_few_examples_on(n):
    below = np.array([[0, 0], [n, 0], [n, n]], dtype=float)
    gain = 2.0 * n  # bits
    description = math.log2(2 * n - 1) + math.log2(3**2 - 2) - 2 * 1.0
    assert is_cut_worth_it(below, 0, 1, 2) == (gain > description)


def test_a_table_of_logarithms_says_what_they_are():
    assert [xlogx_from(float(w), LOGS) for w in range(200)] == [xlogx_from(float(w), NO_TABLE) for w in range(200)]
    assert xlogx(0.0) == 0.0
    assert xlogx(8.0) == 24.0
