"""Least variances of the normal distributions of naive Bayes, and the heights of densities, which depend on them."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from ensembles.addresses import hidden
from ensembles.exact import WEIGHT_STEP
from ensembles.jit import inner, kernel, part
from ensembles.lanes import (
    WIDTH,
    exponents_of,
    lanes_of,
    mantissas_of,
    put_whole_lanes,
    where_less,
    whole_lanes_at,
)
from ensembles.learners.bayes.distances import MEAN, NARROWNESS
from ensembles.learners.bayes.moments import pooled_moments_at
from ensembles.learners.bayes.side_by_side import DOUBT
from ensembles.learners.bayes.sums import eights_of

__all__ = [
    "BOUNDED", "EMPTY", "LEAST", "NEAR", "height_of_known", "keeps_priors", "measure_height", "measure_heights",
    "measure_heights_of_all", "multiply_in", "new_floors", "raise_doubtful", "raise_to_floors", "set_height",
    "set_highest_floors",
]  # fmt: skip

LEAST = 1e-12  #: the least variance of all
_ROUNDED = 2.0**-96  # of the square of a mean: variances below, 16 times what it is rounded by, tell of rounding
NEAR, EMPTY, BOUNDED = 1, 2, 3  #: of a class, in `near`
_MEAN, _NARROWEST, _UNKNOWN = 0, 1, 2  # rows of `pooled`
_LOG_PI, _LOG_2 = math.log(math.pi), math.log(2.0)
_LARGE = 2.0**465  # of products, which are divided by it beyond
_LOG_LARGE = math.log(_LARGE)


@inner
def keeps_priors(members):
    """Whether `heights` have the priors in them: where nothing else is multiplied, and a prior is its class's alone."""
    return members.values.shape[0] == 0 and members.smoothing[0] > 0.0


def new_floors(n_numeric: int) -> dict[str, npt.NDArray[np.float64]]:
    """Return the arrays of floors of which nothing is known, and room, by their names in `NaiveBayesMembers`."""
    there = np.arange(eights_of(n_numeric) * WIDTH) < n_numeric
    return {
        "highest": np.where(there, np.inf, 0.0),
        "narrowest": np.where(there, 0.0, 1.0),
        "asked": np.zeros(len(there)),
        "least": np.where(there, 0.5 * LEAST, 0.5),
        "pooled": np.zeros((3, len(there))),
        "row": np.zeros((2, WIDTH)),
    }


def set_highest_floors(members: Any) -> None:
    """Note what no floor is above, of numbers between the limits; infinity where none is known."""
    (lowest, highest), share = members.limits, members.floor[0]
    spread = np.where(lowest <= highest, highest - lowest, 0.0)
    farthest = np.where(lowest <= highest, np.maximum(abs(lowest), abs(highest)), 0.0)
    floors = np.maximum(0.2501 * share * spread * spread + 1.001 * LEAST, 1.001 * _ROUNDED * farthest * farthest)
    floors[lowest > highest] = np.inf
    members.highest[: len(floors)], members.narrowest[: len(floors)] = floors, 0.5 / floors


@part
def measure_height(members, m, c):
    members.heights[m, c] = height_of_known(members, m, c, members.limits, 0)


@inner
def measure_heights(members, m):
    """Work out the heights of the classes whose distributions have changed, where numbers may be left out."""
    for c in range(members.heights.shape[1]):
        if math.isnan(members.heights[m, c]):
            measure_height(members, m, c)


@inner
def measure_heights_of_all(members, n_members):
    """Do so for all members."""
    if members.floor[1] == 1.0:
        for m in range(n_members):
            measure_heights(members, m)


@inner
def multiply_in(product, power, narrowness):
    """Return a product of lanes, m 2^power with m in [1, 2), times others: nothing is rounded away beyond that of m."""
    product = product * narrowness
    return mantissas_of(product), power + exponents_of(product)


@inner
def set_height(members, m, c, product, power):
    """Set the height of class c, none of whose numbers is left out, by the product of its narrownesses."""
    n, row, mantissa, exponent = members.limits.shape[1], members.row, 1.0, 0.0
    put_whole_lanes(row, (0, 0), product)
    put_whole_lanes(row, (1, 0), power)
    for lane in range(WIDTH):
        mantissa, exponent = mantissa * row[0, lane], exponent + row[1, lane]
    members.heights[m, c] = _height_of(members, m, c, math.log(mantissa) + exponent * _LOG_2, n)


@inner
def _height_of(members, m, c, logarithm, n):
    """Return that of the density at the means, and maybe of the prior, from that of the product of n narrownesses."""
    height = 0.5 * (logarithm - n * _LOG_PI)
    if keeps_priors(members) and members.smoothing[1] == 0.0:
        height += math.log(members.totals[m, c] + members.smoothing[0])
    return -np.inf if members.totals[m, c] == 0.0 else height


@inner
def height_of_known(members, m, c, numbers, i):
    """Return the logarithm of the density at the means of the known numbers, and maybe of the prior."""
    shapes, product, scale, power = members.shapes, 1.0, 0.0, 0
    for n in range(members.limits.shape[1]):
        narrowness = shapes[m, c, n // WIDTH, NARROWNESS, n % WIDTH]
        if narrowness > 0.0 and not math.isnan(numbers[i, n]):
            product, power = product * narrowness, power + 1
            if product > _LARGE:
                product, scale = product / _LARGE, scale + 1.0
            elif product < 1.0 / _LARGE:
                product, scale = product * _LARGE, scale - 1.0
    return _height_of(members, m, c, math.log(product) + scale * _LOG_LARGE, power)


@kernel
def raise_to_floors(members, m):
    """Give variances, which have been worked out, the exact floor where one is, or may be, below it."""
    _raise_to_floors(members, m)


@kernel
def raise_doubtful(members, n_members):
    """Do so for the members that the room has a doubt about: a call for each would take as long as the rest."""
    for m in range(n_members):
        if members.room[m, members.totals.shape[1] + DOUBT, 0] > 0.0:
            _raise_to_floors(members, hidden(m))


@inner
def _raise_to_floors(members, m):
    for eight in range(members.flat.shape[2]):
        if _may_be_flat(members, m, eight):
            _find_floors_at(members, m, eight)
    skip = members.floor[1] == 1.0
    for c in range(members.totals.shape[1]):
        if skip or members.near[m, c] > 0:  # else all its variances are above any floor
            _raise_class(members, m, c)
        if members.near[m, c] == BOUNDED:
            members.near[m, c] = NEAR
    if skip:
        _leave_out(members, m)


@inner
def _may_be_flat(members, m, eight):
    """Whether a class may have a variance below the floor, as 0 of no value, among these numbers; up to eight.

    If not, what was worked out of them stands. Where numbers were left out, they may have to come back.
    """
    found = members.floor[1] == 1.0
    for c in range(members.flat.shape[1]):
        found = found or members.flat[m, c, eight] > 0
    return found


@inner
def _find_floors_at(members, m, eight):
    """Write means of all classes together and what no narrowness is above; and that of a class without a known value."""
    pooled, first = members.pooled, eight * WIDTH
    mean, variance = pooled_moments_at(members, m, eight)
    floor, rounded = members.floor[0] * variance + LEAST, _ROUNDED * (mean * mean)
    floor = where_less(floor, rounded, rounded, floor)
    put_whole_lanes(pooled, (_MEAN, first), mean)
    put_whole_lanes(pooled, (_NARROWEST, first), 0.5 / floor)
    put_whole_lanes(pooled, (_UNKNOWN, first), 0.5 / where_less(variance, floor, floor, variance))


@part
def _raise_class(members, m, c):
    """Raise the variances of class c to the floors; one without a known value has mean and variance of all together."""
    product, power = lanes_of(1.0), lanes_of(0.0)
    for eight in range(members.flat.shape[2]):
        narrowness = whole_lanes_at(members.narrownesses, (m, c, eight, 0))
        if _may_be_flat(members, m, eight):
            narrowness = _raise_at(members, m, c, eight, narrowness)
        product, power = multiply_in(product, power, narrowness)
    set_height(members, m, c, product, power)


@inner
def _raise_at(members, m, c, eight, own):
    """Do so with eight numbers, of which these are the narrownesses; return what they are then."""
    pooled, shapes, first = members.pooled, members.shapes, eight * WIDTH
    narrowest = whole_lanes_at(pooled, (_NARROWEST, first))
    raised = where_less(narrowest, own, narrowest, own)
    known = whole_lanes_at(members.digits, (m, c, eight, 0, 0))
    raised = where_less(known, WEIGHT_STEP, whole_lanes_at(pooled, (_UNKNOWN, first)), raised)
    mean = whole_lanes_at(shapes, (m, c, eight, MEAN, 0))
    mean = where_less(known, WEIGHT_STEP, whole_lanes_at(pooled, (_MEAN, first)), mean)
    put_whole_lanes(shapes, (m, c, eight, MEAN, 0), mean)
    put_whole_lanes(shapes, (m, c, eight, NARROWNESS, 0), raised)
    return raised


@inner
def _leave_out(members, m):
    """Leave out the numbers of which a class has no value, or a variance below the floor; heights are to be measured."""
    totals, shapes = members.totals, members.shapes
    for eight in range(members.flat.shape[2]):
        narrowest, flat = whole_lanes_at(members.pooled, (_NARROWEST, eight * WIDTH)), lanes_of(0.0)
        for c in range(totals.shape[1]):
            if totals[m, c] > 0.0:
                flat = where_less(narrowest, whole_lanes_at(members.narrownesses, (m, c, eight, 0)), 1.0, flat)
                flat = where_less(whole_lanes_at(members.digits, (m, c, eight, 0, 0)), WEIGHT_STEP, 1.0, flat)
        for c in range(totals.shape[1]):
            left = where_less(0.0, flat, 0.0, whole_lanes_at(shapes, (m, c, eight, NARROWNESS, 0)))
            put_whole_lanes(shapes, (m, c, eight, NARROWNESS, 0), left)
    members.heights[m] = np.nan
