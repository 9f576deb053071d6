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

from ensembles.exact import WEIGHT_STEP, square, two_sum, variance_of
from ensembles.jit import inner, kernel, part

__all__ = [
    "add_example", "carry_sums", "cut_example", "hold", "new_sums", "pool", "pooled_mean_and_variance", "sum_up",
    "write_means_and_variances",
]  # fmt: skip

_BITS = 27
_PLACE = 2.0**_BITS
_MOST = 2.0**25  # what may be added before it is carried, in steps of the weights: 2^25 * 2^27 = 2^52
_ROUNDER = 1.5 * 2.0**52  # what is added to it and taken away again is rounded to a whole number
_LOWEST, _LOWEST_SQUARE = -3, -4  # places, counted from that of ones
_ROOM = 4  # rows to work in

Window = Sequence[float] | npt.NDArray[np.float64]


def new_sums(
    n_members: int, n_classes: int, limits: npt.NDArray[np.float64], window: Window = (1.0, 1.0)
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of sums over nothing, by their names in `NaiveBayesMembers`.

    limits : (2, n), the lowest and highest number of each attribute
    window : a power of two that divides all numbers, and one that is not below any
    """
    n_numeric, (numbers, squares) = limits.shape[1], _places_for(window)
    units = np.array([1.0, *(_PLACE**place for place in (*numbers, *squares))])
    loads = np.zeros((n_members, n_classes, 2))
    loads[:, :, 1] = 1.0
    return {
        "digits": np.zeros((n_members, n_classes, len(units) * n_numeric)),
        "carried": np.zeros((n_members, n_classes, 2 * n_numeric)),
        "loads": loads,
        "units": units,
        "squares_at": np.array([1 + len(numbers)]),
        "limits": limits,
        "window": np.array(window, dtype=np.float64),
        "pieces": np.zeros((len(units) + _ROOM) * n_numeric),
    }


def hold(members: Any, numbers: npt.NDArray[np.float64]) -> Any:
    """Return the members with sums that can hold these numbers too: the same ones, if theirs can."""
    limits, window = members.limits.copy(), members.window.copy()
    _measure(numbers, members.limits, window)
    if (limits != members.limits).any():
        members.stale[:] = 1  # whether a variance may be below the floor is judged by the limits
    if (window == members.window).all():
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
        return sums.reshape(*sums.shape[:2], -1, n_numeric)

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
            above, new[:, positions, j] = np.divmod(above, _PLACE)
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
def _measure(numbers, limits, window):
    """Note the lowest and highest of these numbers, and widen the window until it holds them."""
    finest = _PLACE**_LOWEST
    for i in range(numbers.shape[0]):
        for n in range(numbers.shape[1]):
            x = numbers[i, n]
            if math.isnan(x):
                continue
            limits[0, n], limits[1, n] = min(limits[0, n], x), max(limits[1, n], x)
            while abs(x) > window[1]:
                window[1] *= 2.0
            while window[0] > finest and not _is_whole(x / window[0]):
                window[0] *= 0.5


@inner
def _is_whole(x):
    return abs(x) >= 2.0**51 or _rounded(x) == x


@inner
def _rounded(x):
    return (x + _ROUNDER) - _ROUNDER


@inner
def cut_example(members, numbers, i):
    """Cut the numbers of example i; a missing one into zeros, the first, which counts it, among them."""
    pieces, units, n_numeric, squares_at = members.pieces, members.units, numbers.shape[1], members.squares_at[0]
    known, room = pieces[:n_numeric], pieces[units.shape[0] * n_numeric :]
    number, high, low = room[:n_numeric], room[n_numeric : 2 * n_numeric], room[2 * n_numeric : 3 * n_numeric]
    for n in range(n_numeric):
        missing = math.isnan(numbers[i, n])
        known[n] = 0.0 if missing else 1.0
        number[n] = 0.0 if missing else numbers[i, n]
        high[n], low[n] = square(number[n])
    for j in range(squares_at - 1, 0, -1):
        _take(number, pieces[j * n_numeric : (j + 1) * n_numeric], units[j], 0.0)
    for j in range(units.shape[0] - 1, squares_at - 1, -1):
        piece = pieces[j * n_numeric : (j + 1) * n_numeric]
        _take(high, piece, units[j], 0.0)
        _take(low, piece, units[j], 1.0)


@inner
def _take(rest, piece, unit, before):
    """Take whole multiples of a unit from what is left; they are the piece, and may add to what it was before."""
    inverse = 1.0 / unit
    for n in range(rest.shape[0]):
        taken = _rounded(rest[n] * inverse)
        rest[n] -= taken * unit
        piece[n] = before * piece[n] + taken


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
            high = _rounded(digits[n] / _PLACE)
            digits[n] -= high * _PLACE
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
            high = _rounded(weight * piece[n] / _PLACE)
            digits[n] += weight * piece[n] - high * _PLACE
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


@inner
def sum_up(members, m, c):
    """Write the sums of class c into the room, of numbers and then of squares, each as a pair of doubles."""
    units, n_numeric, squares_at = members.units, members.limits.shape[1], members.squares_at[0]
    for which in range(2):
        first, end = (1, squares_at) if which == 0 else (squares_at, units.shape[0])
        room = members.pieces[(members.units.shape[0] + 2 * which) * n_numeric :]
        high, low = room[:n_numeric], room[n_numeric : 2 * n_numeric]
        carried, unit = members.carried[m, c][which * n_numeric : (which + 1) * n_numeric], units[end - 1] * _PLACE
        for n in range(n_numeric):
            high[n] = carried[n] * unit
            low[n] = 0.0
        for j in range(end - 1, first - 1, -1):
            digits, unit = members.digits[m, c][j * n_numeric : (j + 1) * n_numeric], units[j]
            for n in range(n_numeric):
                total, error = two_sum(high[n], digits[n] * unit)
                high[n] = total
                low[n] += error


@inner
def write_means_and_variances(members, m, c, means, variances):
    """Do so for class c, which was summed up; 0 and 0 where it is empty. means: (n, c); variances: (n,)."""
    n_numeric = variances.shape[0]
    room = members.pieces[members.units.shape[0] * n_numeric :]
    s, s_low = room[:n_numeric], room[n_numeric : 2 * n_numeric]
    q, q_low = room[2 * n_numeric : 3 * n_numeric], room[3 * n_numeric :]
    weights = members.digits[m, c]
    for n in range(variances.shape[0]):
        mean, variances[n] = variance_of(weights[n], two_sum(s[n], s_low[n]), two_sum(q[n], q_low[n]))
        s[n] = mean
    for n in range(variances.shape[0]):  # apart: a loop that leaves gaps in memory runs a number at a time
        means[n, c] = s[n]


@inner
def pool(members, m, c, pooled):
    """Add the class that was summed up to `pooled`: rows of weights and of the sums as in the room."""
    weights, n_numeric = members.digits[m, c], pooled.shape[1]
    for n in range(pooled.shape[1]):
        pooled[0, n] += weights[n]
    for which in range(2):
        room = members.pieces[(members.units.shape[0] + 2 * which) * n_numeric :]
        high, low = room[:n_numeric], room[n_numeric : 2 * n_numeric]
        for n in range(pooled.shape[1]):
            total, error = two_sum(pooled[1 + 2 * which, n], high[n])
            pooled[1 + 2 * which, n] = total
            pooled[2 + 2 * which, n] += error + low[n]


@inner
def pooled_mean_and_variance(pooled, n):
    """Return mean and variance of number n in all classes together; 0 and 1 if it is always missing."""
    if pooled[0, n] == 0.0:
        return 0.0, 1.0
    return variance_of(pooled[0, n], two_sum(pooled[1, n], pooled[2, n]), two_sum(pooled[3, n], pooled[4, n]))
