"""Learners on different splits of one data set: beside scipy, mixed with paired ones, and at extremes."""

import math

import numpy as np
import pytest
from scipy import stats

from ensembles.evaluation.unpaired import unpaired_tests
from ensembles.evaluation.verdict import fair_means, on_splits

RATIO = 1 / 4


def apart(*columns):
    """Return a table in which each learner has rows of its own."""
    table = np.full((sum(map(len, columns)), len(columns)), np.nan)
    start = 0
    for place, column in enumerate(columns):
        table[start : start + len(column), place] = column
        start += len(column)
    return table


def welch(one, other, ratio):
    """Return what scipy says of columns whose spread is as much larger as overlapping training sets make it."""
    return stats.ttest_ind(*(mean_as_uncertain(x, ratio) for x in (one, other)), equal_var=False)


def mean_as_uncertain(values, ratio):
    values = np.asarray(values)
    return values.mean() + (values - values.mean()) * math.sqrt(1 + len(values) * ratio)


@pytest.mark.parametrize("ratio", [0.0, RATIO, 1.0])
@pytest.mark.parametrize("seed", range(5))
def test_p_values_are_welchs(ratio, seed):
    rng = np.random.default_rng(seed)
    columns = [rng.normal(0.8, 0.01 * (k + 1), rng.integers(3, 30)) for k in range(4)]
    found = unpaired_tests(apart(*columns), 2, ratio, 0.1)
    for place in (0, 1, 3):
        expected = welch(columns[place], columns[2], ratio)
        assert found.p_value[place] == pytest.approx(expected.pvalue)
        gap = np.mean(columns[place]) - np.mean(columns[2])
        ends = gap - found.reach[place], gap + found.reach[place]
        assert ends == pytest.approx(tuple(expected.confidence_interval(0.9)))


def test_at_extremes():
    found = unpaired_tests(apart([0.5] * 3, [0.5] * 4, [0.7] * 3, [0.5], []), 0, RATIO, 0.05)
    assert found.p_value == pytest.approx([1, 1, 2 / 20, np.nan, np.nan], nan_ok=True)
    assert found.reach == pytest.approx([0, 0, np.nan, np.nan, np.nan], nan_ok=True)


def test_as_many_examples_on_folds_of_other_sizes_are_no_spread():
    sizes = np.array([34.0, 33.0, 33.0] * 2)
    wrong = apart(np.array([1, 1, 1]) / sizes[:3], np.array([3, 3, 3]) / sizes[:3])
    found = on_splits(wrong, test_train_ratio=0.5, lower_is_better=True, n_test=sizes)
    assert (found.test, found.rows[1].standing, found.rows[1].adjusted) == ("unpaired", "tied", 2 / 20)
    assert math.isnan(found.rows[1].low)
    right = on_splits(1.0 - wrong, test_train_ratio=0.5, n_test=sizes)
    assert (right.rows[1].adjusted, math.isnan(right.low)) == (2 / 20, True)
    one_more = apart(np.array([1, 1, 2]) / sizes[:3], np.array([3, 3, 4]) / sizes[:3])
    told = [unpaired_tests(one_more, 0, 0.5, 0.05, n_test) for n_test in (sizes, None)]
    assert np.array_equal(*told, equal_nan=True)


def test_kappas_that_hardly_differ_are_no_spread_unless_they_overlap():
    sizes = np.array([34.0, 33.0, 33.0] * 2)
    kappas = apart([0.940, 0.939, 0.939], [0.880, 0.878, 0.879])
    assert unpaired_tests(kappas, 0, 0.5, 0.05, sizes).p_value[1] < 0.01
    assert unpaired_tests(kappas, 0, 0.5, 0.05, sizes, 1.0).p_value[1] == 2 / 20
    close = apart([0.940, 0.935, 0.939], [0.938, 0.937, 0.937])
    told = [unpaired_tests(close, 0, 0.5, 0.05, sizes, grain) for grain in (0.0, 1.0)]
    assert np.array_equal(*told, equal_nan=True)


@pytest.mark.parametrize("lower_is_better", [False, True])
def test_those_that_meet_the_best_are_paired_and_the_others_are_not(lower_is_better):
    rng = np.random.default_rng(5)
    first, second = rng.normal(0, 0.02, (2, 12, 1))
    table = np.full((24, 5), np.nan)
    table[:12, :3] = first + [0.9, 0.85, 0.89] + rng.normal(0, 0.005, (12, 3))
    table[12:, 3:] = second + [0.89, 0.5] + rng.normal(0, 0.005, (12, 2))
    values = 1 - table if lower_is_better else table
    found = on_splits(values, test_train_ratio=RATIO, lower_is_better=lower_is_better)
    rows = {row.learner: row for row in found.rows}
    assert (found.test, found.n, found.n_tests) == ("unpaired", 12, 10)
    assert {one: (row.standing, row.paired) for one, row in rows.items()} == {
        0: ("best", True),
        1: ("worse", True),
        2: ("tied", True),
        3: ("tied", False),
        4: ("worse", False),
    }
    for learner in (3, 4):
        expected = welch(table[:12, 0], table[12:, learner], RATIO)
        row = rows[learner]
        assert row.p_value == pytest.approx(expected.pvalue)
        assert row.behind == pytest.approx(table[:12, 0].mean() - table[12:, learner].mean())
        assert (row.low + row.high) / 2 == pytest.approx(row.behind)
        assert row.chances is row.to_tell is None
    alone = on_splits(values[:12, :3], test_train_ratio=RATIO, lower_is_better=lower_is_better)
    assert [rows[row.learner].p_value for row in alone.rows[1:]] == [row.p_value for row in alone.rows[1:]]
    assert fair_means(values) == pytest.approx(np.nanmean(values, axis=0))


def test_few_repeats_of_one_are_compared_with_many_of_another():
    table = apart(0.8 + 0.01 * np.arange(4), 0.7 + 0.001 * np.arange(100))
    assert [row.why for row in on_splits(table, test_train_ratio=RATIO).rows] == ["", ""]
    table[:4, 1] = 0.7
    paired = on_splits(table, test_train_ratio=RATIO)
    assert [(row.learner, row.why) for row in paired.rows] == [(1, ""), (0, "missing")], (
        "they meet: its trials are missing"
    )


def test_two_splits_of_their_own_are_too_few():
    found = on_splits(apart([0.8, 0.9], [0.5, 0.6, 0.7]), test_train_ratio=RATIO)
    assert (found.test, [row.why for row in found.rows]) == ("corrected", ["", "few"])
