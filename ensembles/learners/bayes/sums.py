"""Sums of numbers and of their squares that do not depend on the order of the examples, so that "lossless" can be tested
with ``==``, at one multiplication and one addition a place.

A number is cut into places of 27 bits, as if it were written to the base 2^27, and so is its square; an example is cut once
for all members. A weight is a multiple of 2^-20: weight times place is exact in float64, and so is a sum of those until it
needs more than 53 bits. Before that, what is beyond 27 bits is carried to the next place. So to learn an example is to add a
multiple of its places to those of a class. They lie by eight attributes, as kernels go through them, all places of these
together; of eight numbers that are all 0 only how many are known has to be added.

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
from ensembles.lanes import WIDTH, lanes_at, lanes_of, put_lanes, put_whole_lanes, where_less, whole_lanes_at

__all__ = [
    "STALE", "add_at", "add_example", "add_with_care", "carry_sums", "cut_example", "eight_of", "eights_of", "has_room",
    "hold", "in_eights", "new_sums",
]  # fmt: skip

_BITS = 27
_PLACE = 2.0**_BITS  # what a place is worth in units of the one before
STALE = 1  #: of a class, in `stale`: what was derived lags behind the sums
_MOST = 2.0**25  # what may be added before it is carried, in steps of the weights: 2^25 * 2^27 = 2^52
_ROUNDER = 1.5 * 2.0**52  # what is added to it and taken away again is rounded to a whole number
_LOWEST, _LOWEST_SQUARE = -3, -4  # places, counted from that of ones
_FINEST = _PLACE**_LOWEST

Window = Sequence[float] | npt.NDArray[np.float64]


def eights_of(n: int) -> int:
    """Return how many lanes of eight hold n numbers."""
    return -(-n // WIDTH)


def in_eights(*shape: int) -> npt.NDArray[np.float64]:
    """Return zeros by eights, each eight within one line of the processor's caches."""
    n = math.prod(shape) * WIDTH
    room = np.zeros(n + WIDTH)
    first = -room.ctypes.data % (WIDTH * room.itemsize) // room.itemsize
    return room[first : first + n].reshape(*shape, WIDTH)


def new_sums(
    n_members: int, n_classes: int, limits: npt.NDArray[np.float64], window: Window = (1.0, 1.0)
) -> dict[str, npt.NDArray[Any]]:
    """Return the arrays of sums over nothing, by their names in `NaiveBayesMembers`.

    limits : (2, n), the lowest and highest number of each attribute
    window : a power of two that divides all numbers, and one that is not below any
    """
    eights, (numbers, squares) = eights_of(limits.shape[1]), _places_for(window)
    units = np.array([1.0, *(_PLACE**place for place in (*numbers, *squares))])
    loads = np.zeros((n_members, n_classes, 3))
    loads[:, :, 1] = 1.0
    return {
        "digits": in_eights(n_members, n_classes, eights, len(units)),
        "carried": in_eights(n_members, n_classes, eights, 2),
        "sums": in_eights(n_members, n_classes, eights, 4),
        "loads": loads,
        "units": units,
        "inverses": 1.0 / units,
        "squares_at": np.array([1 + len(numbers)]),
        "limits": limits,
        "window": np.array(window, dtype=np.float64),
        "moved": np.zeros(eights, dtype=np.uint8),
        "pieces": in_eights(eights, len(units)),
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
    old, new = np.moveaxis(members.digits, 3, 0), np.moveaxis(grown["digits"], 3, 0)
    beyond, carried = np.moveaxis(members.carried, 3, 0), np.moveaxis(grown["carried"], 3, 0)
    grown["loads"][:, positions] = members.loads
    new[0][:, positions] = old[0]
    begin, start = 1, 1
    places = zip(_places_for(members.window), _places_for(grown["window"]), strict=True)
    for which, (had, has) in enumerate(places):
        lowest = start + had[0] - has[0]
        new[lowest : lowest + len(had), :, positions] = old[begin : begin + len(had)]
        above = beyond[which]
        for j in range(lowest + len(had), start + len(has)):
            here = np.mod(above, _PLACE * grown["units"][j])
            above, new[j][:, positions] = above - here, here
        carried[which][:, positions] = above
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
def eight_of(members, numbers, i, eight):
    """Return eight numbers of example i, with zeros behind the last one."""
    there = whole_lanes_at(members.least, (eight * WIDTH,))
    return where_less(there, 0.5, lanes_at(numbers, (i, eight * WIDTH)), 0.0)


@inner
def _cut_at(members, numbers, i, eight):
    """Do so with eight numbers, all in registers."""
    units, inverses, squares_at, pieces = members.units, members.inverses, members.squares_at[0], members.pieces
    given = eight_of(members, numbers, i, eight)
    put_whole_lanes(pieces, (eight, 0, 0), where_less(given, np.inf, 1.0, 0.0))
    number = where_less(given, np.inf, given, 0.0)
    members.moved[eight] = 1 if any_less(number, 0.0, WIDTH) or any_less(0.0, number, WIDTH) else 0
    high, low = product(number, number)
    for j in range(squares_at - 1, 0, -1):
        taken = _rounded(number * inverses[j]) * units[j]
        number = number - taken
        put_whole_lanes(pieces, (eight, j, 0), taken)
    for j in range(units.shape[0] - 1, squares_at - 1, -1):
        taken, beside = _rounded(high * inverses[j]) * units[j], _rounded(low * inverses[j]) * units[j]
        high, low = high - taken, low - beside
        put_whole_lanes(pieces, (eight, j, 0), taken + beside)


@inner
def has_room(members, m, c, weight):
    """Note that class c of member m is to learn the example that was cut; return whether `add_at` will do."""
    loads = members.loads
    if _rounded(weight) != weight:
        loads[m, c, 1] = WEIGHT_STEP
    loads[m, c, 0] += weight
    return loads[m, c, 0] <= _MOST * loads[m, c, 1]


@inner
def add_at(members, m, c, eight, weight):
    """Add eight numbers of the example that was cut to the sums of class c of member m."""
    digits, pieces = members.digits, members.pieces
    rows = digits.shape[3] if members.moved[eight] > 0 else 1  # all others are 0
    for j in range(rows):
        added = weight * whole_lanes_at(pieces, (eight, j, 0))
        put_whole_lanes(digits, (m, c, eight, j, 0), whole_lanes_at(digits, (m, c, eight, j, 0)) + added)


@inner
def add_example(members, m, c, weight):
    """Add all its numbers, for which there is room."""
    for eight in range(members.moved.shape[0]):
        add_at(members, m, c, eight, weight)


@part
def add_with_care(members, m, c, weight):
    """As `add_example`, once there is room; a weight that is too large for it goes in parts whose products are exact."""
    loads = members.loads
    most = _MOST * loads[m, c, 1]
    _carry(members, m, c)
    loads[m, c, 0] = weight
    if weight <= most:
        add_example(members, m, c, weight)
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
    digits, members.loads[m, c, 2] = members.digits, 1.0
    for eight in range(digits.shape[2]):
        for j in range(1, digits.shape[3]):
            given = whole_lanes_at(digits, (m, c, eight, j, 0))
            high = _beyond(members, j, given)
            put_whole_lanes(digits, (m, c, eight, j, 0), given - high)
            _add_above(members, m, c, eight, j, high)


@inner
def _beyond(members, j, given):
    """Return what of eight numbers at place j is beyond its 27 bits."""
    return _rounded(given * (members.inverses[j] * (1.0 / _PLACE))) * (members.units[j] * _PLACE)


@inner
def _add_in_two(members, m, c, weight):
    """Add weight times pieces in two parts, of which the higher goes to the next place."""
    digits, pieces = members.digits, members.pieces
    for eight in range(digits.shape[2]):
        known = weight * whole_lanes_at(pieces, (eight, 0, 0))
        put_whole_lanes(digits, (m, c, eight, 0, 0), whole_lanes_at(digits, (m, c, eight, 0, 0)) + known)
        for j in range(1, digits.shape[3]):
            added = weight * whole_lanes_at(pieces, (eight, j, 0))
            high = _beyond(members, j, added)
            rest = added - high
            put_whole_lanes(digits, (m, c, eight, j, 0), whole_lanes_at(digits, (m, c, eight, j, 0)) + rest)
            _add_above(members, m, c, eight, j, high)


@inner
def _add_above(members, m, c, eight, j, high):
    """Add to the place above place j; the highest of numbers and of squares have one beyond the others."""
    digits, carried = members.digits, members.carried
    if j + 1 == digits.shape[3]:
        put_whole_lanes(carried, (m, c, eight, 1, 0), whole_lanes_at(carried, (m, c, eight, 1, 0)) + high)
    elif j + 1 == members.squares_at[0]:
        put_whole_lanes(carried, (m, c, eight, 0, 0), whole_lanes_at(carried, (m, c, eight, 0, 0)) + high)
    else:
        put_whole_lanes(digits, (m, c, eight, j + 1, 0), whole_lanes_at(digits, (m, c, eight, j + 1, 0)) + high)
