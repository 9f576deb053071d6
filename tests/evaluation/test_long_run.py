"""Standard errors of means where neighbours resemble each other: beside known spreads and the plain t-test."""

import math

import numpy as np
import pytest
from scipy import fft, stats
from scipy.signal import lfilter

from ensembles.evaluation.long_run import long_run_errors, long_run_errors_of_sums
from ensembles.evaluation.verdict_on_examples import on_examples, on_stretches


def walk(rng, n, k, memory):
    """Return series with variance 1 whose values are `memory` times the one before, and something new."""
    fresh = rng.normal(size=(n, k)) * math.sqrt(1 - memory**2)
    fresh[0] /= math.sqrt(1 - memory**2)
    return lfilter([1.0], [1.0, -memory], fresh, axis=0)


@pytest.mark.parametrize("memory", [0.0, 0.9, 0.99])
def test_errors_are_those_of_means_whose_spread_is_known(memory):
    n = 4000
    series = walk(np.random.default_rng(1), n, 100, memory)
    found = long_run_errors(series)
    assert np.mean(found.scale**2) == pytest.approx((1 + memory) / (1 - memory) / n, rel=0.15)
    assert np.mean(np.abs(series.mean(axis=0)) > found.scale * stats.t.isf(0.05, found.freedom)) < 0.15


def test_the_more_neighbours_resemble_each_other_the_fewer_waves_count():
    rng = np.random.default_rng(2)
    counts = [long_run_errors(walk(rng, 5000, 30, memory)).freedom for memory in (0.0, 0.9, 0.99)]
    assert 0.4 * 5000 ** (2 / 3) >= counts[0] > counts[1] > counts[2] >= 8


def test_waves_are_the_cosines_of_a_whole_series():
    series = walk(np.random.default_rng(3), 300, 2, 0.5)
    found = long_run_errors(series)
    waves = fft.dct(series, type=2, axis=0, norm="ortho")[1 : found.freedom + 1]
    assert found.scale == pytest.approx(np.sqrt((waves**2).mean(axis=0) / 300))


@pytest.mark.parametrize("n", [2, 5, 9])
def test_few_rows_or_rows_without_an_order_make_the_ordinary_t_test(n):
    series = np.random.default_rng(4).normal(size=(n, 3))
    for found in (long_run_errors(series), long_run_errors(series, in_order=False)):
        assert found.scale == pytest.approx(stats.sem(series))
        assert found.freedom == n - 1


def test_nothing_varies_or_there_is_one_row():
    assert long_run_errors(np.full((50, 2), 0.1)).scale.tolist() == [0.0, 0.0]
    assert long_run_errors(np.ones((1, 2))).freedom == 0
    assert long_run_errors(np.empty((0, 2))).freedom == 0


def test_what_is_not_all_known_has_no_error():
    series = np.random.default_rng(6).normal(size=(60, 2))
    known = long_run_errors(series[:, :1])
    series[7, 1] = np.nan
    found = long_run_errors(series)
    assert np.isnan(found.scale[1])
    assert found.freedom == known.freedom
    assert found.scale[0] == pytest.approx(known.scale[0])


def test_of_many_examples_errors_are_near_those_of_the_formula():
    n, memory = 50_000, 0.95
    found = long_run_errors(walk(np.random.default_rng(5), n, 8, memory))
    assert np.mean(found.scale**2) == pytest.approx((1 + memory) / (1 - memory) / n, rel=0.15)


def test_equal_learners_of_a_stream_with_a_long_memory_are_seldom_called_worse():
    rng, n, wrong = np.random.default_rng(6), 80, 0
    for _ in range(n):
        hidden = 0.6 * walk(rng, 1500, 1, 0.9) + 0.8 * walk(rng, 1500, 4, 0.9)
        wrong += any(row.standing == "worse" for row in on_examples(hidden < 0.8).rows)
    assert wrong <= stats.binom.ppf(0.99, n, 0.05)


@pytest.mark.parametrize(("n", "size"), [(300, 1), (20_000, 5), (20_003, 5)])
def test_sums_over_stretches_tell_what_the_series_tell(n, size):
    series = walk(np.random.default_rng(6), n, 4, 0.9) + 3.0
    starts = np.arange(0, n, size)
    sizes = np.diff(np.append(starts, n))
    found = long_run_errors_of_sums(np.add.reduceat(series, starts, axis=0), sizes)
    whole = long_run_errors(series)
    assert found.freedom == whole.freedom
    assert found.scale == pytest.approx(whole.scale, rel=1e-9)
    assert long_run_errors_of_sums([[1.0]], [5]).freedom == 0


def stream(n, *rates):
    rng = np.random.default_rng(7)
    hard = lfilter([1.0], [1.0, -0.99], rng.normal(size=n)) > 0
    return np.column_stack([rng.random(n) < rate - 0.1 * hard for rate in rates]).astype(float)


@pytest.mark.parametrize("lower_is_better", [True, False])
def test_learners_are_compared_on_stretches_as_on_examples_but_for_mcnemars_test(lower_is_better):
    right = stream(20_000, 0.9, 0.88, 0.899)
    starts = np.arange(0, 20_000, 5)
    counts, sizes = np.add.reduceat(right, starts, axis=0), np.full(len(starts), 5)
    whole = on_examples(right, lower_is_better=lower_is_better)
    found = on_stretches(counts, sizes, lower_is_better=lower_is_better)
    assert (found.test, found.n, found.n_tests) == ("long_run", 20_000, 3)
    assert (found.low, found.high) == pytest.approx((whole.low, whole.high), rel=1e-9)
    best = found.rows[0].learner
    errors = long_run_errors(right - right[:, [best]])
    for row, other in zip(found.rows, whole.rows, strict=True):
        assert (row.learner, row.standing) == (other.learner, other.standing)
        told, expected = (each[3:7] for each in (row, other))
        assert told == pytest.approx(expected, rel=1e-6, nan_ok=True)
        if row.learner != best:
            spread = abs(row.behind) / errors.scale[row.learner]
            assert row.p_value == pytest.approx(2 * stats.t.sf(spread, errors.freedom), rel=1e-6)
    assert sorted(row.standing for row in found.rows) == ["best", "tied", "worse"]


def test_stretches_that_a_learner_does_not_have_are_not_compared():
    counts = np.array(
        [[9.0, np.nan, np.nan], [8.0, 6.0, np.nan], [7.0, 8.0, np.nan], [9.0, 5.0, np.nan], [5.0, 5.0, np.nan]]
    )
    found = on_stretches(counts, [20, 10, 10, 10, 5])
    assert found.n == 35
    assert [(row.learner, row.standing, row.why) for row in found.rows[2:]] == [(2, "undecided", "missing")]
    assert {row.learner: row.value for row in found.rows[:2]} == pytest.approx({0: 6 / 35, 1: 11 / 35})
    assert on_stretches(np.full((3, 2), np.nan), [1, 1, 1]).rows == ()
    assert [row.why for row in on_stretches(counts[1:3, :2], [10, 10]).rows] == ["", "few"]
