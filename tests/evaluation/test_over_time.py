"""Two learners along a stream, and the bits that say where each was right."""

import numpy as np
import pytest
from scipy.signal import lfilter

from ensembles.errors import InvalidInput, InvalidParameter
from ensembles.evaluation.over_time import differences_over_time
from ensembles.evaluation.right_or_wrong import pack_right, unpack_right


@pytest.mark.parametrize("n", [0, 1, 47, 48, 49, 96, 1000])
def test_bits_come_back_at_their_places(n):
    right = np.random.default_rng(n).random(n) < 0.7
    curve = pack_right(13, right)
    assert len(curve.x) == len(curve.y) == -(-n // 48) + 1
    places, found = unpack_right(np.array(curve.x), np.array(curve.y))
    assert places.tolist() == list(range(13, 13 + n))
    assert np.array_equal(found, right)


def test_stretches_have_the_errors_of_their_examples_and_say_where_one_is_better():
    rng = np.random.default_rng(3)
    first = (rng.random(4000) < 0.8).astype(float)
    second = np.where(np.arange(4000) < 2000, rng.random(4000) < 0.8, rng.random(4000) < 0.99).astype(float)
    found = differences_over_time(first, second)
    assert len(found) == 40
    for number, stretch in enumerate(found):
        assert (stretch.first, stretch.last) == (100 * number, 100 * number + 99)
        own = slice(stretch.first, stretch.last + 1)
        assert stretch.errors == pytest.approx((1 - first[own].mean(), 1 - second[own].mean()))
        assert stretch.difference == pytest.approx(stretch.errors[0] - stretch.errors[1])
        assert stretch.low < stretch.difference < stretch.high
    assert not any(stretch.clearly for stretch in found[:20])
    assert sum(stretch.clearly for stretch in found[20:]) > 5
    turned = differences_over_time(second, first)
    assert [stretch.clearly for stretch in turned] == [-stretch.clearly for stretch in found]


def test_equal_learners_are_seldom_told_apart_anywhere_though_neighbours_resemble_each_other():
    rng = np.random.default_rng(2)
    told = 0
    for _ in range(60):
        hidden = lfilter([1.0], [1.0, -0.5], rng.normal(size=(1000, 2)), axis=0)
        pair = (hidden < 0.9).astype(float)
        told += any(stretch.clearly for stretch in differences_over_time(*pair.T))
    assert told <= 7  # 3 are expected; of more than 7 there is a chance of 1 %


def test_examples_that_one_was_not_asked_are_left_out_and_short_streams_tell_nothing():
    first, second = np.ones(500), np.ones(500)
    first[:210] = np.nan
    found = differences_over_time(first, second)
    assert [(stretch.first, stretch.last) for stretch in found] == [(210, 354), (355, 499)]
    assert {(stretch.difference, stretch.low, stretch.high, stretch.clearly) for stretch in found} == {(0, 0, 0, 0)}
    assert differences_over_time(first[:400], second[:400]) == []
    with pytest.raises(InvalidParameter, match="alpha must be"):
        differences_over_time(first, second, alpha=2)
    with pytest.raises(InvalidInput, match="of one length"):
        differences_over_time(first, second[1:])
