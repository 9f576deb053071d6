"""Standard errors of means where neighbours resemble each other: beside known spreads and the plain t-test."""

import math

import numpy as np
import pytest
from scipy import fft, stats
from scipy.signal import lfilter

from ensembles.evaluation.long_run import long_run_errors
from ensembles.evaluation.verdict_on_examples import on_examples


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
