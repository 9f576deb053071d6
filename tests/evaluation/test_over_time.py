"""Two learners along a stream, and the bits that say where each was right."""

import math
from itertools import pairwise

import numpy as np
import pytest
import scipy.fft
from scipy import stats
from scipy.signal import lfilter

from ensembles.errors import InvalidInput, InvalidParameter
from ensembles.evaluation import right_or_wrong
from ensembles.evaluation.over_time import differences_over_time
from ensembles.evaluation.right_or_wrong import RightOrWrong, pack_right, unpack_right


@pytest.mark.parametrize("n", [0, 1, 47, 48, 49, 96, 1000])
def test_bits_come_back_at_their_places(n):
    right = np.random.default_rng(n).random(n) < 0.7
    curve = pack_right(13, right)
    assert len(curve.x) == len(curve.y) == -(-n // 48) + 1
    places, found = unpack_right(np.array(curve.x), np.array(curve.y))
    assert places.tolist() == list(range(13, 13 + n))
    assert np.array_equal(found, right)


@pytest.mark.parametrize(("first", "n"), [(0, 1000), (13, 1000), (25, 95), (0, 81), (300, 700)])
def test_of_a_longer_stream_it_is_counted_on_stretches_how_many_were_right(monkeypatch, first, n):
    monkeypatch.setattr(right_or_wrong, "MOST_KEPT", 80)
    monkeypatch.setattr(right_or_wrong, "STRETCHES", 40)
    rng = np.random.default_rng(n)
    right, kept, at = rng.random(n) < 0.7, RightOrWrong(first, n), 0
    while at < n:
        piece = right[at : at + rng.integers(1, 90)]
        kept.add(piece)
        at += len(piece)
    [(name, curve)] = kept.curves().items()
    assert name == "right_on_stretches"
    assert (curve.x[0], curve.x[-1], curve.y[-1]) == (first, first + n, 0.0)
    assert len(curve.x) <= 41
    assert {start % -(-(first + n) // 40) for start in curve.x[1:-1]} == {0}, (
        "where they begin does not depend on `first`"
    )
    places = np.array(curve.x, dtype=int) - first
    assert curve.y[:-1] == tuple(right[a:b].sum() for a, b in pairwise(places))


def test_up_to_a_number_each_is_kept():
    right = np.random.default_rng(1).random(500) < 0.7
    kept = RightOrWrong(13, 500)
    kept.add(right[:100])
    kept.add(right[100:])
    assert kept.curves() == {"right_or_wrong": pack_right(13, right)}


def test_stretches_have_the_errors_of_their_examples_and_say_where_one_is_better():
    rng = np.random.default_rng(3)
    first = (rng.random(4000) < 0.8).astype(float)
    second = np.where(np.arange(4000) < 2000, rng.random(4000) < 0.8, rng.random(4000) < 0.99).astype(float)
    found = differences_over_time(first, second)
    assert len(found) == 8
    for number, stretch in enumerate(found):
        assert (stretch.first, stretch.last) == (500 * number, 500 * number + 499)
        own = slice(stretch.first, stretch.last + 1)
        assert stretch.errors == pytest.approx((1 - first[own].mean(), 1 - second[own].mean()))
        assert stretch.difference == pytest.approx(stretch.errors[0] - stretch.errors[1])
        assert stretch.low < stretch.difference < stretch.high
    assert [stretch.clearly for stretch in found] == 4 * [0] + 4 * [1]
    turned = differences_over_time(second, first)
    assert [stretch.clearly for stretch in turned] == [-stretch.clearly for stretch in found]


@pytest.mark.parametrize("n", [1000, 4000])
@pytest.mark.parametrize("memory", [0.5, 0.97])
def test_equal_learners_are_seldom_told_apart_anywhere_though_neighbours_resemble_each_other(n, memory):
    rng = np.random.default_rng(2)
    told = 0
    for _ in range(60):
        hidden = lfilter([math.sqrt(1 - memory**2)], [1.0, -memory], rng.normal(size=(n, 2)), axis=0)
        pair = (hidden < 0.8).astype(float)
        told += any(stretch.clearly for stretch in differences_over_time(*pair.T))
    assert told <= 7  # 3 are expected; of more than 7 there is a chance of 1 %


def test_intervals_are_those_of_the_slowest_waves_of_all_stretches():
    first, second = (np.random.default_rng(4).random((2, 1500)) < [[0.8], [0.7]]).astype(float)
    behind = (second - first).reshape(3, 500)
    away = behind - behind.mean(axis=1, keepdims=True)
    power = scipy.fft.dct(away, norm="ortho")[:, 1:4] ** 2
    higher = max((power / behind.var(axis=1, keepdims=True)).mean(), 1.0)
    half = stats.t.isf(0.05 / 6, 9) * np.sqrt(higher * behind.var(axis=1) / 500)
    found = differences_over_time(first, second)
    assert [(one.difference, one.high - one.difference) for one in found] == [
        pytest.approx(pair) for pair in zip(behind.mean(axis=1), half, strict=True)
    ]


def test_examples_that_one_was_not_asked_are_left_out_and_short_streams_tell_nothing():
    first, second = np.ones(620), np.ones(620)
    first[:210] = np.nan
    found = differences_over_time(first, second)
    assert [(stretch.first, stretch.last) for stretch in found] == [(210, 414), (415, 619)]
    assert {(stretch.difference, stretch.low, stretch.high, stretch.clearly) for stretch in found} == {(0, 0, 0, 0)}
    assert differences_over_time(first[:600], second[:600]) == []
    with pytest.raises(InvalidParameter, match="alpha must be"):
        differences_over_time(first, second, alpha=2)
    with pytest.raises(InvalidInput, match="of one length"):
        differences_over_time(first, second[1:])
