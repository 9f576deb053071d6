"""Lanes give the bits of numbers alone, and touch nothing beyond the end of an array."""

from fractions import Fraction

import numpy as np
import pytest

from ensembles.across_lanes import any_less, greatest_of, sum_in_order, sum_of, which_reach
from ensembles.jit import kernel
from ensembles.lanes import (
    WIDTH,
    add_halves,
    exponents_of,
    first_four,
    four_lanes,
    lanes_at,
    lanes_of,
    mantissas_of,
    put_lanes,
    put_whole_lanes,
    rest_of_product,
    roots_of,
    where_less,
    whole_lanes_at,
)


@kernel
def _work_out(table, places, factor, out):
    """Write for each column what `alone` does, eight columns at a time."""
    for c in range(0, table.shape[1], WIDTH):
        total = lanes_of(1.0)
        for place in places:
            total = (2.0 - lanes_at(table, (place, c))) / (total + factor) * lanes_at(table, (0, c)) - 0.1
            total = where_less(total, 0.5, total * total, factor)
        put_lanes(out, (1, c), total)


def alone(table, places, factor, c):
    total = 1.0
    for place in places:
        total = (2.0 - table[place, c]) / (total + factor) * table[0, c] - 0.1
        total = total * total if total < 0.5 else factor
    return float(total)


@pytest.mark.parametrize("columns", [1, 2, 3, 7, 8, 9, 16, 26])
def test_each_lane_is_worked_out_as_a_number_alone(columns):
    table = np.random.default_rng(columns).uniform(0.1, 3.0, (5, columns))
    places = np.array([3, 1, 4, 4, 0], dtype=np.int32)
    out = np.full((3, columns), -7.0)
    _work_out(table, places, 0.37, out)
    assert out[1].tolist() == [alone(table, places, 0.37, c) for c in range(columns)]
    assert (out[[0, 2]] == -7.0).all(), "a lane beyond the end was written"


@kernel
def _take_apart(numbers, out):
    put_lanes(out, (0, 0), mantissas_of(lanes_at(numbers, (0,))))
    put_lanes(out, (1, 0), exponents_of(lanes_at(numbers, (0,))))
    put_lanes(out, (2, 0), roots_of(lanes_at(numbers, (0,))))


def test_numbers_are_taken_apart_into_mantissas_and_exponents_and_have_roots():
    numbers, out = np.array([1.0, 0.75, 2.0, 3e-7, 1e300, 0.0, 5e-324, 123.0]), np.empty((3, WIDTH))
    _take_apart(numbers, out)
    mantissas, exponents = np.frexp(numbers)
    assert out[:2, :5].tolist() == [(2.0 * mantissas[:5]).tolist(), (exponents[:5] - 1.0).tolist()]
    assert out[:, 5].tolist() == [1.0, -1023.0, 0.0]
    assert out[1, 6] == -1023.0
    assert (out[0] >= 1.0).all()
    assert (out[0] < 2.0).all()
    assert out[2].tolist() == np.sqrt(numbers).tolist()


@kernel
def _multiply(a, b, out):
    product = lanes_at(a, (0,)) * lanes_at(b, (0,))
    put_lanes(out, (0, 0), product)
    put_lanes(out, (1, 0), rest_of_product(lanes_at(a, (0,)), lanes_at(b, (0,)), product))


def test_what_is_rounded_away_from_products_is_exact():
    (a, b), out = np.random.default_rng(5).normal(size=(2, WIDTH)) * [[1e9], [1e-7]], np.empty((2, WIDTH))
    _multiply(a, b, out)
    assert [Fraction(p) + Fraction(rest) for p, rest in out.T] == [
        Fraction(x) * Fraction(y) for x, y in zip(a, b, strict=True)
    ]
    assert (out[1] != 0.0).all()


@kernel
def _any_less(first, second, n):
    return any_less(lanes_at(first, (0,)), lanes_at(second, (0,)), n)


@pytest.mark.parametrize("n", range(1, 9))
def test_only_the_first_lanes_are_asked_whether_any_is_less(n):
    for less in range(8):
        first, second = np.ones(8), np.ones(8)
        first[less], second[7 - less] = 0.5, np.nan
        assert _any_less(first, second, n) == (less < n and np.isfinite(second[less]))
        assert not _any_less(np.full(8, np.nan), second, n)


@kernel
def _add_up(numbers, out):
    out[0] = sum_of(whole_lanes_at(numbers, (0,)))


def test_all_lanes_are_added_up_by_halves():
    for seed in range(20):
        numbers, out = np.random.default_rng(seed).permutation([0.1, 0.2, 0.3, 1e16, 3.0, 0.3, -1e16, 7.0]), np.empty(1)
        _add_up(numbers, out)
        a, b, c, d, e, f, g, h = numbers.tolist()
        assert out[0] == ((a + e) + (c + g)) + ((b + f) + (d + h))


@kernel
def _put_together(numbers, least, n, out):
    lanes = lanes_at(numbers, (0,))
    out[0], out[1], out[2] = which_reach(lanes, least, n), greatest_of(lanes, n), sum_in_order(lanes, n)


@pytest.mark.parametrize("n", range(9))
def test_the_first_lanes_are_put_together_in_their_order(n):
    numbers, out = np.random.default_rng(n).permutation([0.1, 0.2, 0.3, 1e16, 3.0, 0.3, 5e-324, 0.0]), np.empty(3)
    for least in (-np.inf, 0.3, 2.0, np.inf):
        _put_together(numbers, least, n, out)
        total = 0.0
        for number in numbers[:n].tolist():
            total += number
        reached = sum(2**place for place, number in enumerate(numbers[:n].tolist()) if number >= least)
        assert out.tolist() == [reached, max(numbers[:n], default=-np.inf), total]


def test_what_is_no_number_reaches_nothing_and_is_not_the_greatest():
    for place in range(8):
        numbers, out = np.arange(8.0), np.empty(3)
        numbers[place] = np.nan
        _put_together(numbers, -np.inf, 8, out)
        assert out[:2].tolist() == [255 - 2**place, 6.0 if place == 7 else 7.0]


@kernel
def _sum_up(first, numbers, out):
    sums = four_lanes(first)
    for at in range(0, numbers.shape[0], WIDTH):
        sums = add_halves(sums, whole_lanes_at(numbers, (at,)))
    out[0], out[1], out[2], out[3] = first_four(sums)


@pytest.mark.parametrize("blocks", [0, 1, 2, 7])
def test_four_sums_add_up_every_fourth_number_in_order(blocks):
    numbers, out = np.random.default_rng(blocks).normal(size=8 * blocks) * 1e3, np.empty(4)
    _sum_up(0.1, numbers, out)
    sums = [0.1, 0.0, 0.0, 0.0]
    for place, number in enumerate(numbers.tolist()):
        sums[place % 4] += number
    assert out.tolist() == sums


@kernel
def _turn_round(numbers, out):
    for at in range(0, numbers.shape[0], WIDTH):
        put_whole_lanes(out, (1, 40 - at), 0.0 - whole_lanes_at(numbers, (at,)))


def test_whole_lanes_are_read_and_written_in_their_place_alone():
    numbers, out = np.arange(16.0), np.full((3, 60), 7.0)
    _turn_round(numbers, out)
    assert out[1, 32:48].tolist() == [*(-numbers[8:]), *(-numbers[:8])]
    out[1, 32:48] = 7.0
    assert (out == 7.0).all()
