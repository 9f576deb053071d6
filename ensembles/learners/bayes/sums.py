"""Sums of numbers and of their squares that do not depend on the order of the examples, so that "lossless" can be tested
with ``==``, at one multiplication and one addition a place.

A number is cut into places of 27 bits, as if it were written to the base 2^27, and so is its square; an example is cut once
for all members. A weight is a multiple of 2^-20: weight times place is exact in float64, and so is a sum of those until it
needs more than 53 bits. Before that, what is beyond 27 bits is carried to the next place. So to learn an example is to add a
multiple of one row of numbers to another.

Numbers are rounded to multiples of 2^-81, squares to multiples of 2^-108: a variance is at least 1e-12, nearly 2^-40.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.across_lanes import any_less
from ensembles.exact import WEIGHT_STEP, product
from ensembles.jit import inner, kernel, part
from ensembles.lanes import WIDTH, lanes_at, lanes_of, put_lanes, where_less

__all__ = [
    "PLACE", "STALE", "add_example", "carry_sums", "cut_example", "eights_of", "hold", "new_sums", "row_of",
]  # fmt: skip

_BITS = 27
PLACE = 2.0**_BITS  #: what a place is worth in units of the one before
STALE = 1  #: of a class, in `stale`: what was derived lags behind the sums
_MOST = 2.0**25  # what may be added before it is carried, in steps of the weights: 2^25 * 2^27 = 2^52
_ROUNDER = 1.5 * 2.0**52  # what is added to it and taken away again is rounded to a whole number
_LOWEST, _LOWEST_SQUARE = -3, -4  # places, counted from that of ones
_FINEST = PLACE**_LOWEST
_SLACK = WIDTH - 1

Window = Sequence[float] | npt.NDArray[np.float64]


def row_of(n: int) -> int:
    """Return how long a row of n numbers is so that eight can be read, or written in turn, from any of them on."""
    return n + _SLACK if n > 0 else 0


def eights_of(n: int) -> int:
    """Return how many lanes of eight hold n numbers."""
    return -(-n // WIDTH)


def new_sums(
    n_members: int, n_classes: int, limits: npt.NDArray[np.float64], window: Window = (1.0, 1.0)
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of sums over nothing, by their names in `NaiveBayesMembers`.

    limits : (2, n), the lowest and highest number of each attribute
    window : a power of two that divides all numbers, and one that is not below any
    """
    n_numeric, (numbers, squares) = limits.shape[1], _places_for(window)
    units = np.array([1.0, *(PLACE**place for place in (*numbers, *squares))])
    loads = np.zeros((n_members, n_classes, 2))
    loads[:, :, 1] = 1.0
    return {
        "digits": np.zeros((n_members, n_classes, row_of(len(units) * n_numeric))),
        "carried": np.zeros((n_members, n_classes, row_of(2 * n_numeric))),
        "sums": np.zeros((n_members, n_classes, 4 * eights_of(n_numeric) * WIDTH)),
        "loads": loads,
        "units": units,
        "inverses": 1.0 / units,
        "squares_at": np.array([1 + len(numbers)]),
        "limits": limits,
        "window": np.array(window, dtype=np.float64),
        "moved": np.zeros(eights_of(n_numeric), dtype=np.uint8),
        "pieces": np.zeros(row_of(len(units) * n_numeric)),
    }


def hold(members: Any, numbers: npt.NDArray[np.float64]) -> Any:
    """Return the members with sums that can hold these numbers too: the same ones, if theirs can."""
    limits, window = members.limits.copy(), members.window.copy()
    _measure(numbers, members.limits, window, members.unknown)
    same_places = (window == members.window).all()
    if (limits != members.limits).any() or not same_places:
        members.stale[:] |= STALE  # whether a variance may be below the floor is judged by the limits
    if same_places:
        return members
    n_members, n_classes = members.totals.shape
    grown = new_sums(n_members, n_classes, members.limits, window)
    return members._replace(**carry_sums(members, grown, np.arange(n_classes)))


def carry_sums(
    members: Any, grown: dict[str, npt.NDArray[Any]], positions: npt.NDArray[np.int64]
) -> dict[str, npt.NDArray[Any]]:
    """Return `grown`, with as many places or more and maybe more classes, with the sums of the members."""
    n_numeric = members.limits.shape[1]
    if n_numeric == 0:
        return grown

    def rows(sums: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return sums[:, :, : sums.shape[2] - _SLACK].reshape(*sums.shape[:2], -1, n_numeric)

    old, new = rows(members.digits), rows(grown["digits"])
    beyond, carried = rows(members.carried), rows(grown["carried"])
    grown["loads"][:, positions] = members.loads
    new[:, positions, 0] = old[:, :, 0]
    begin, start = 1, 1
    places = zip(_places_for(members.window), _places_for(grown["window"]), strict=True)
    for which, (had, has) in enumerate(places):
        lowest = start + had[0] - has[0]
        new[:, positions, lowest : lowest + len(had)] = old[:, :, begin : begin + len(had)]
        above = beyond[:, :, which]
        for j in range(lowest + len(had), start + len(has)):
            above, new[:, positions, j] = np.divmod(above, PLACE)
        carried[:, positions, which] = above
        begin, start = begin + len(had), start + len(has)
    return grown


def _places_for(window: Window) -> tuple[range, range]:
    """Return the places of numbers and those of squares, from the lowest on; 0 is that of ones."""
    lowest, highest = (math.frexp(bound)[1] - 1 for bound in window)
    return (
        range(max(lowest // _BITS, _LOWEST), highest // _BITS + 1),
        range(max(2 * lowest // _BITS, _LOWEST_SQUARE), 2 * highest // _BITS + 1),
    )


@kernel
def _measure(numbers, limits, window, unknown):
    """Note the lowest and highest of these numbers and whether any is missing, and widen the window until it holds them."""
    for n in range(0, numbers.shape[1], WIDTH):
        lowest, highest, missing = lanes_at(limits, (0, n)), lanes_at(limits, (1, n)), lanes_of(0.0)
        for i in range(numbers.shape[0]):
            number = lanes_at(numbers, (i, n))
            lowest = where_less(number, lowest, number, lowest)
            highest = where_less(highest, number, number, highest)
            missing = where_less(number, np.inf, missing, 1.0)
        put_lanes(limits, (0, n), lowest)
        put_lanes(limits, (1, n), highest)
        if any_less(0.0, missing, numbers.shape[1] - n):
            unknown[0] = 1.0
    for n in range(numbers.shape[1]):
        while max(abs(limits[0, n]), abs(limits[1, n])) > window[1] and limits[0, n] <= limits[1, n]:
            window[1] *= 2.0
    if window[0] > _FINEST:
        _refine(numbers, window)


@inner
def _refine(numbers, window):
    """Halve what divides all numbers until it divides these."""
    for i in range(numbers.shape[0]):
        for n in range(0, numbers.shape[1], WIDTH):
            number, known = lanes_at(numbers, (i, n)), numbers.shape[1] - n
            while window[0] > _FINEST and not _are_whole(number * (1.0 / window[0]), known):
                window[0] *= 0.5


@inner
def _are_whole(x, n):
    """Whether the first n of eight numbers are whole or missing; those from 2^51 on count as whole."""
    rest = where_less(x, 2.0**51, where_less(-(2.0**51), x, _rounded(x) - x, 0.0), 0.0)
    return not (any_less(rest, 0.0, n) or any_less(0.0, rest, n))


@inner
def _rounded(x):
    return (x + _ROUNDER) - _ROUNDER


@inner
def cut_example(members, numbers, i):
    """Cut the numbers of example i; a missing one into zeros, the first, which counts it, among them."""
    for eight in range(members.moved.shape[0]):
        _cut_at(members, numbers, i, eight)


@inner
def _cut_at(members, numbers, i, eight):
    """Do so with eight numbers, all in registers."""
    units, inverses, squares_at, n = members.units, members.inverses, members.squares_at[0], eight * WIDTH
    number = lanes_at(numbers, (i, n))
    _put_pieces(members, 0, n, where_less(number, np.inf, 1.0, 0.0))
    number = where_less(number, np.inf, number, 0.0)
    known = numbers.shape[1] - n
    members.moved[eight] = 1 if any_less(number, 0.0, known) or any_less(0.0, number, known) else 0
    high, low = product(number, number)
    for j in range(squares_at - 1, 0, -1):
        taken = _rounded(number * inverses[j])
        number = number - taken * units[j]
        _put_pieces(members, j, n, taken)
    for j in range(units.shape[0] - 1, squares_at - 1, -1):
        taken, beside = _rounded(high * inverses[j]), _rounded(low * inverses[j])
        high, low = high - taken * units[j], low - beside * units[j]
        _put_pieces(members, j, n, taken + beside)


@inner
def _put_pieces(members, j, n, taken):
    n_numeric = members.limits.shape[1]
    put_lanes(members.pieces[j * n_numeric : (j + 1) * n_numeric], (n,), taken)


@inner
def add_example(members, m, c, weight):
    """Add the example that was cut to the sums of class c of member m."""
    loads = members.loads
    if _rounded(weight) != weight:
        loads[m, c, 1] = WEIGHT_STEP
    loads[m, c, 0] += weight
    if loads[m, c, 0] > _MOST * loads[m, c, 1]:
        _add_with_care(members, m, c, weight)
    else:
        _add(members.digits, m, c, members.pieces, weight)


@inner
def _add(digits, m, c, pieces, weight):
    for k in range(digits.shape[2]):
        digits[m, c, k] += weight * pieces[k]


@part
def _add_with_care(members, m, c, weight):
    """As `add_example`, once there is room; a weight that is too large for it goes in parts whose products are exact."""
    loads = members.loads
    most = _MOST * loads[m, c, 1]
    _carry(members, m, c)
    loads[m, c, 0] = weight
    if weight <= most:
        _add(members.digits, m, c, members.pieces, weight)
        return
    for size in (most, _MOST, 2.0**60):
        some = weight % size
        _add_in_two(members, m, c, some)
        _carry(members, m, c)
        weight -= some
    loads[m, c, 0] = 0.0


@inner
def _carry(members, m, c):
    """Carry what is beyond 27 bits to the next place."""
    n_numeric = members.limits.shape[1]
    for j in range(1, members.units.shape[0]):
        digits = members.digits[m, c][j * n_numeric : (j + 1) * n_numeric]
        for n in range(n_numeric):
            high = _rounded(digits[n] / PLACE)
            digits[n] -= high * PLACE
            _put_above(members, m, c, j, n, high)


@inner
def _add_in_two(members, m, c, weight):
    """Add weight times pieces in two parts, of which the higher goes to the next place."""
    n_numeric = members.limits.shape[1]
    counts, known = members.digits[m, c][:n_numeric], members.pieces[:n_numeric]
    for n in range(n_numeric):
        counts[n] += weight * known[n]
    for j in range(1, members.units.shape[0]):
        digits = members.digits[m, c][j * n_numeric : (j + 1) * n_numeric]
        piece = members.pieces[j * n_numeric : (j + 1) * n_numeric]
        for n in range(n_numeric):
            high = _rounded(weight * piece[n] / PLACE)
            digits[n] += weight * piece[n] - high * PLACE
            _put_above(members, m, c, j, n, high)


@inner
def _put_above(members, m, c, j, n, high):
    """Add to the place above place j; the highest of numbers and of squares have one beyond the others."""
    n_numeric = members.limits.shape[1]
    if j + 1 == members.units.shape[0]:
        members.carried[m, c, n_numeric + n] += high
    elif j + 1 == members.squares_at[0]:
        members.carried[m, c, n] += high
    else:
        members.digits[m, c, (j + 1) * n_numeric + n] += high
